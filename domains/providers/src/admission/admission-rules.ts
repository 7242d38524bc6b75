import type { KubeObject } from '@chandlery/api';
import { type DesiredObject, setController } from '@chandlery/runtime';
import {
  type ControlPlane,
  controlPlanes,
  type ProjectWorkspaceConfig,
  projects,
  type Tenant,
  workspaces,
} from '../kinds/index.ts';
import { membersOf, type User } from '../model/tenants/members.ts';
import { rightsOnTenant } from '../model/tenants/tenant-objects.ts';
import { admitControlPlane } from './admit-control-plane.ts';
import { type Admission, admitTenant } from './admit-tenant.ts';

/** A write of any of the kinds that have a rule. */
export interface TenantKindWrite {
  /** The object to be stored, with defaults filled in. */
  readonly object: KubeObject;
  /** The stored object; undefined for a creation. */
  readonly live: KubeObject | undefined;
  readonly user: User;
  /** The spec of the ProjectWorkspaceConfig `default` of the onboarding cluster, if there is one. */
  readonly config: ProjectWorkspaceConfig['spec'] | undefined;
}

/**
 * A rule that the server evaluates before it stores an object of the onboarding cluster: on creations and updates, not
 * on status.
 */
export interface AdmissionRule {
  readonly group: string;
  readonly plural: string;
  admit(write: TenantKindWrite): Admission<KubeObject>;
  /**
   * Objects that are stored in the same commit as a new object, so that they exist when the creation returns. Default
   * none.
   */
  besides?(created: Pick<TenantKindWrite, 'object' | 'config'>): readonly DesiredObject[];
}

const tenantRule = ({ group, plural }: { readonly group: string; readonly plural: string }): AdmissionRule => ({
  group,
  plural,
  admit: ({ object, live, ...rest }) =>
    admitTenant({ object: object as Tenant, live: live as Tenant | undefined, ...rest }),
});

/** The creator of a project can read and watch it from the start. */
function rightsOnNew(project: Tenant, config: ProjectWorkspaceConfig['spec']): readonly DesiredObject[] {
  const rights = rightsOnTenant(project, membersOf(project, config));
  for (const { object } of rights) setController(object, project);
  return rights;
}

/** The admission rules of the tenants' kinds. */
export const admissionRules: readonly AdmissionRule[] = [
  { ...tenantRule(projects), besides: ({ object, config = {} }) => rightsOnNew(object as Tenant, config) },
  tenantRule(workspaces),
  {
    group: controlPlanes.group,
    plural: controlPlanes.plural,
    admit: ({ object, live }) =>
      admitControlPlane({ object: object as ControlPlane, live: live as ControlPlane | undefined }),
  },
];
