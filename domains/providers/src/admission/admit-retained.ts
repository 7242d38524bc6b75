import type { KubeObject } from '@chandlery/api';
import { shorten } from '@chandlery/clusters/kinds';
import type { RetainedService } from '../kinds/index.ts';
import type { User } from '../model/tenants/members.ts';
import { grantedAccounts } from './admit-finalizers.ts';
import type { Admission } from './admit-tenant.ts';

/** A write or deletion of a RetainedService by an account of an AccessRequest. */
export interface RetainedWrite {
  readonly retained: RetainedService;
  /** The provider of the AccessRequest, as in the label of what it manages; undefined without one. */
  readonly manager: string | undefined;
}

/**
 * Whether an account was created by an AccessRequest: for such accounts {@link admitRetained} decides, for others RBAC
 * alone.
 */
export const isGrantedAccount = ({ groups }: Pick<User, 'groups'>): boolean => groups.includes(grantedAccounts);

/** Admits writes of RetainedServices: each provider may write its own. RBAC knows the kind only. */
export function admitRetained({ retained, manager }: RetainedWrite): Admission<KubeObject> {
  const { provider } = retained.spec;
  if (manager === shorten(provider)) return { type: 'allow', object: retained };
  const message = `it keeps a service of provider "${provider}", which alone creates it and takes it back; the tenant ends the service by deleting it`;
  return { type: 'deny', message };
}
