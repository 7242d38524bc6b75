import type { MeshInfo, PolicyName } from '@chandlery/mesh/kinds';
import { Link } from '../../routing/link.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { policyHref } from './policy-hrefs.ts';

interface PoliciesProps {
  readonly policies: readonly PolicyName[];
  readonly mesh: MeshInfo;
}

/** Links to the objects that declare policies. */
export const Policies = ({ policies, mesh }: PoliciesProps) =>
  policies.length === 0 ? (
    <span className="quiet">none</span>
  ) : (
    policies.map((policy, index) => (
      <span key={`${policy.kind} ${policy.name}`}>
        {index > 0 && ', '}
        <Link className="policy" href={policyHref(policy, mesh)}>
          {policy.kind} {plainText(policy.name)}
        </Link>
      </span>
    ))
  );
