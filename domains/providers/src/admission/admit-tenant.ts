import { isSameJson } from '@chandlery/runtime';
import { type ProjectWorkspaceConfig, providerNames, type Tenant } from '../kinds/index.ts';
import { creatorOf, hasRole, memberFor, membersOf, type User } from '../model/tenants/members.ts';

/** The result of admission: the object, possibly changed, or a rejection. */
export type Admission<T> =
  | { readonly type: 'allow'; readonly object: T }
  | { readonly type: 'deny'; readonly message: string };

export interface TenantWrite {
  /** The object to be stored. Not changed. */
  readonly object: Tenant;
  /** The stored object; undefined for a creation. */
  readonly live: Tenant | undefined;
  readonly user: User;
  /** That of the ProjectWorkspaceConfig `default`; undefined when there is none. */
  readonly config: ProjectWorkspaceConfig['spec'] | undefined;
}

const masters = 'system:masters';

/**
 * Admits a write of a Project or Workspace. Records the creator, makes the creator its admin when it has no members,
 * and rejects members that leave the caller without admin rights.
 */
export function admitTenant({ object, live, user, config = {} }: TenantWrite): Admission<Tenant> {
  const creator = live === undefined ? user.username : creatorOf(live);
  const noted = withCreator(object, creator);
  const tenant = live === undefined && membersIn(object).length === 0 ? withAdmin(noted, user) : noted;
  const isChecked = live === undefined || !isSameJson(membersIn(live), membersIn(tenant));
  if (!isChecked || config.webhook?.disabled || user.groups.includes(masters)) return { type: 'allow', object: tenant };
  if (hasRole(user, membersOf(tenant, config), 'admin')) return { type: 'allow', object: tenant };
  return { type: 'deny', message: lockedOut(tenant, user) };
}

const membersIn = ({ spec }: Tenant): Tenant['spec']['members'] => spec?.members ?? [];

function withCreator(tenant: Tenant, creator: string | undefined): Tenant {
  const { [providerNames.createdByAnnotation]: given, ...others } = tenant.metadata.annotations ?? {};
  if (given === creator) return tenant;
  const note: Record<string, string> = creator === undefined ? {} : { [providerNames.createdByAnnotation]: creator };
  return { ...tenant, metadata: { ...tenant.metadata, annotations: { ...others, ...note } } };
}

const withAdmin = (tenant: Tenant, user: User): Tenant => ({
  ...tenant,
  spec: { ...tenant.spec, members: [memberFor(user, 'admin')] },
});

const lockedOut = ({ kind }: Tenant, { username }: User): string =>
  `you ("${username}") would not be an admin of this ${kind.toLowerCase()}; add yourself, or a group of yours, to spec.members with the role admin`;
