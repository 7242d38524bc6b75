import { displayNameOf, situationOf } from '@chandlery/api';
import type { ReactNode } from 'react';
import { plainText } from '../../ui/plain-text.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import type { TenantObject } from './tenant-objects.ts';

interface TenantHeadProps {
  readonly tenant: TenantObject;
  readonly crumbs: ReactNode;
  readonly children: ReactNode;
}

/** What a project or workspace is called, and how it is. */
export function TenantHead({ tenant, crumbs, children }: TenantHeadProps) {
  const { state, reason, message } = situationOf(tenant);
  const { name = '' } = tenant.metadata;
  return (
    <header className="page-head">
      <div>
        <p className="crumbs">{crumbs}</p>
        <h1>{plainText(displayNameOf(tenant) ?? name)}</h1>
        <p>
          <StateMark state={state} />
          <span className="situation"> {plainText([reason, message].filter(Boolean).join(': '))}</span>
        </p>
      </div>
      <div className="actions">{children}</div>
    </header>
  );
}
