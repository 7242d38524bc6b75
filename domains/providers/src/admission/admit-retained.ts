import type { KubeObject } from '@chandlery/api';
import { shorten } from '@chandlery/clusters/kinds';
import type { RetainedService } from '../kinds/index.ts';
import type { User } from '../model/tenants/members.ts';
import { grantedAccounts } from './admit-finalizers.ts';
import type { Admission } from './admit-tenant.ts';

/** A write or deletion of a RetainedService by an account that an AccessRequest gave to somebody. */
export interface RetainedWrite {
  readonly retained: RetainedService;
  /** The provider whose AccessRequest gave the account, as in the label of what it manages; undefined when nobody's. */
  readonly manager: string | undefined;
}

/** Whether an account was given by an AccessRequest: for such accounts {@link admitRetained} decides, for others RBAC alone. */
export const isGrantedAccount = ({ groups }: Pick<User, 'groups'>): boolean => groups.includes(grantedAccounts);

/** Decides who lets services go and takes them back: each provider its own. RBAC can only tell the kind. */
export function admitRetained({ retained, manager }: RetainedWrite): Admission<KubeObject> {
  const { provider } = retained.spec;
  if (manager === shorten(provider)) return { type: 'allow', object: retained };
  const message = `it keeps a service of provider "${provider}", which alone creates it and takes it back; the tenant ends the service by deleting it`;
  return { type: 'deny', message };
}
