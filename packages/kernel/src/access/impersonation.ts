import { badRequest } from '@chandlery/api';
import type { ClusterAccess } from './cluster-access.ts';
import { forbidden } from './forbidden.ts';
import type { ResourceAttributes } from './rbac.ts';
import { parseServiceAccountUsername, serviceAccountGroups, type UserInfo, withAuthenticatedGroup } from './user.ts';

/** As whom a request wants to be treated. */
export interface Impersonation {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/**
 * Headers by name in lower case, one entry for each time a header was sent, as Node's `headersDistinct` has them. The
 * plain `headers` will not do: they join repeated headers by commas, which a group name may contain.
 */
export type DistinctHeaders = Readonly<Record<string, readonly string[] | undefined>>;

const extraPrefix = 'impersonate-extra-';

/** Reads the `Impersonate-*` headers; undefined when there are none, BadRequest when they name no user. */
export function parseImpersonation(headers: DistinctHeaders): Impersonation | undefined {
  const valuesOf = (name: string) => (headers[name] ?? []).map(decodeUtf8).filter(value => value !== '');
  const [username] = valuesOf('impersonate-user');
  const [uid] = valuesOf('impersonate-uid');
  const groups = valuesOf('impersonate-group');
  const extraHeaders = Object.keys(headers).filter(name => name.startsWith(extraPrefix));
  const extra = Object.fromEntries(
    extraHeaders.map(name => [decodeKey(name.slice(extraPrefix.length)), valuesOf(name)]),
  );
  if (username !== undefined) return { username, ...(uid === undefined ? {} : { uid }), groups, extra };
  if (uid === undefined && groups.length === 0 && extraHeaders.length === 0) return undefined;
  throw badRequest('the request impersonates groups, a uid or extra fields without impersonating a user');
}

/** The user that the request continues as. Throws Forbidden when `user` lacks the verb `impersonate` on any part of it. */
export function authorizeImpersonation(access: ClusterAccess, user: UserInfo, wanted: Impersonation): UserInfo {
  for (const attributes of rightsNeeded(wanted)) {
    if (!access.authorize(user, attributes).allowed) throw forbidden(user, attributes);
  }
  return impersonatedUser(wanted);
}

function* rightsNeeded({ username, uid, groups, extra }: Impersonation): Iterable<ResourceAttributes> {
  const verb = 'impersonate';
  const serviceAccount = parseServiceAccountUsername(username);
  if (serviceAccount !== undefined) yield { verb, group: '', resource: 'serviceaccounts', ...serviceAccount };
  else yield { verb, group: '', resource: 'users', name: username };
  for (const name of groups) yield { verb, group: '', resource: 'groups', name };
  const group = 'authentication.k8s.io';
  if (uid !== undefined) yield { verb, group, resource: 'uids', name: uid };
  for (const [subresource, values] of Object.entries(extra)) {
    for (const name of values) yield { verb, group, resource: 'userextras', subresource, name };
  }
}

function impersonatedUser({ username, uid, groups, extra }: Impersonation): UserInfo {
  const serviceAccount = parseServiceAccountUsername(username);
  const implied =
    serviceAccount !== undefined && groups.length === 0 ? serviceAccountGroups(serviceAccount.namespace) : groups;
  return withAuthenticatedGroup({
    username,
    groups: implied,
    ...(uid === undefined ? {} : { uid }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  });
}

/** Node hands out header bytes as Latin-1; clients send UTF-8. */
const decodeUtf8 = (value: string): string => Buffer.from(value, 'latin1').toString('utf8');

/** Extra keys are percent-encoded because header names hold few characters; a broken encoding is taken literally. */
function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
