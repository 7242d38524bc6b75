import {
  type ProjectWorkspaceConfig,
  providerNames,
  type Tenant,
  type TenantRole,
  workspaces,
} from '../../kinds/index.ts';

export type Member = Tenant['spec']['members'][number];

/** The user of a request. */
export interface User {
  readonly username: string;
  readonly groups: readonly string[];
}

/** A subject of a RoleBinding. */
export interface Subject {
  readonly kind: Member['kind'];
  readonly name: string;
  readonly namespace?: string;
  readonly apiGroup?: string;
}

const serviceAccountPrefix = 'system:serviceaccount:';

/** The members of a tenant: those of its spec, and those that the configuration adds. */
export function membersOf(tenant: Tenant, config: ProjectWorkspaceConfig['spec']): readonly Member[] {
  const { memberOverrides = [] } = config;
  const added = memberOverrides.filter(({ resources }) => resources?.some(isAbout(tenant)) ?? true);
  return [...(tenant.spec?.members ?? []), ...added];
}

/** The subjects of a role, without duplicates, in an order that does not depend on the list. */
export function subjectsOf(members: readonly Member[], role: TenantRole): readonly Subject[] {
  const subjects = members.filter(({ roles }) => roles.includes(role)).map(toSubject);
  const byText = new Map(subjects.map(subject => [JSON.stringify(subject), subject]));
  return [...byText.entries()].sort(([a], [b]) => (a < b ? -1 : Number(a > b))).map(([, subject]) => subject);
}

/** Whether the user, or a group of the user, is a member with the role. */
export const hasRole = (user: User, members: readonly Member[], role: TenantRole): boolean =>
  members.some(member => member.roles.includes(role) && isMember(user, member));

/** The user as a member. */
export function memberFor({ username }: User, role: TenantRole): Member {
  const [namespace, name] = username.startsWith(serviceAccountPrefix)
    ? username.slice(serviceAccountPrefix.length).split(':')
    : [];
  if (namespace && name) return { kind: 'ServiceAccount', namespace, name, roles: [role] };
  return { kind: 'User', name: username, roles: [role] };
}

/** The creator of a tenant, as recorded at its creation. */
export const creatorOf = ({ metadata }: Tenant): string | undefined =>
  metadata.annotations?.[providerNames.createdByAnnotation];

function isMember({ username, groups }: User, { kind, name, namespace = '' }: Member): boolean {
  switch (kind) {
    case 'User':
      return username === name;
    case 'Group':
      return groups.includes(name);
    case 'ServiceAccount':
      return username === `${serviceAccountPrefix}${namespace}:${name}`;
  }
}

const isAbout =
  (tenant: Tenant) =>
  ({ kind, name }: { readonly kind: string; readonly name: string }): boolean =>
    kind === (tenant.kind === workspaces.kind ? 'Workspace' : 'Project') && name === tenant.metadata.name;

const toSubject = ({ kind, name, namespace = '' }: Member): Subject =>
  kind === 'ServiceAccount' ? { kind, name, namespace } : { kind, name, apiGroup: 'rbac.authorization.k8s.io' };
