import type { KindRegistry } from '../registry/kind-registry.ts';
import type { Views } from '../views/views.ts';
import type { Visibility } from '../views/visibility.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { forbidden } from './forbidden.ts';
import { isPathRequest, type RequestAttributes } from './rbac.ts';
import type { UserInfo } from './user.ts';

/** Who makes a request, and where. */
export interface Requester {
  readonly user: UserInfo;
  /** The rights in the logical cluster. */
  readonly access: ClusterAccess;
  readonly cluster: string;
}

const partialVerbs: ReadonlySet<string> = new Set(['list', 'watch']);

/**
 * Throws `Forbidden` unless the user is allowed to make the request. Returns the visible part of a collection of which
 * the user may not see everything; undefined: the rights cover the whole request.
 */
export async function authorizeRequest(
  deps: { readonly views: Views; readonly registry: KindRegistry },
  requester: Requester,
  attributes: RequestAttributes,
): Promise<Visibility | undefined> {
  const { user, access } = requester;
  if (access.authorize(user, attributes).allowed) return undefined;
  const visibility = await partialVisibility(deps, requester, attributes);
  if (visibility === undefined) throw forbidden(user, attributes);
  return visibility;
}

/**
 * Lists and watches of a whole collection whose kind shows each user the part that they have rights to. One object by its
 * name is such a list too: who deletes an object, and waits for its end, may have lost the rights on it by then.
 */
async function partialVisibility(
  { views, registry }: { readonly views: Views; readonly registry: KindRegistry },
  { user, cluster }: Requester,
  attributes: RequestAttributes,
): Promise<Visibility | undefined> {
  if (isPathRequest(attributes) || !partialVerbs.has(attributes.verb)) return undefined;
  const { group, resource, subresource, namespace = '', verb } = attributes;
  if (namespace !== '' || subresource !== undefined) return undefined;
  const kind = (await registry.of(cluster)).get(`${group}/${resource}`)?.kind;
  return kind && views.partial(cluster, kind, user, verb);
}
