/** Who makes a request, as authentication found out. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  /** Facts that authentication adds and authorisation ignores. Keys in lower case. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Users and groups that mean something by themselves. */
export const wellKnown = {
  /** Members may do everything, whatever the roles say. */
  masters: 'system:masters',
  authenticated: 'system:authenticated',
  unauthenticated: 'system:unauthenticated',
  anonymousUser: 'system:anonymous',
  serviceAccounts: 'system:serviceaccounts',
} as const;

const serviceAccountPrefix = 'system:serviceaccount:';

/** A request without credentials. */
export const anonymous: UserInfo = Object.freeze({
  username: wellKnown.anonymousUser,
  groups: Object.freeze([wellKnown.unauthenticated]),
});

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** The user name of a service account. */
export const serviceAccountUsername = ({ namespace, name }: ServiceAccountName): string =>
  `${serviceAccountPrefix}${namespace}:${name}`;

/** The groups that every service account of a namespace is in, without `system:authenticated`. */
export const serviceAccountGroups = (namespace: string): readonly string[] => [
  wellKnown.serviceAccounts,
  `${wellKnown.serviceAccounts}:${namespace}`,
];

/** The service account that a user name stands for; undefined for other users. */
export function parseServiceAccountUsername(username: string): ServiceAccountName | undefined {
  if (!username.startsWith(serviceAccountPrefix)) return undefined;
  const [namespace, name, ...rest] = username.slice(serviceAccountPrefix.length).split(':');
  if (!namespace || !name || rest.length > 0) return undefined;
  return { namespace, name };
}

/** True for those who may do everything. */
export const isMaster = (user: UserInfo): boolean => user.groups.includes(wellKnown.masters);

/** The user with one of the two groups that divide all requests, unless it has one already. */
export function withAuthenticatedGroup(user: UserInfo): UserInfo {
  const { authenticated, unauthenticated, anonymousUser } = wellKnown;
  if (user.groups.includes(authenticated) || user.groups.includes(unauthenticated)) return user;
  return { ...user, groups: [...user.groups, user.username === anonymousUser ? unauthenticated : authenticated] };
}
