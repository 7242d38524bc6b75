import type { ClusterAccess } from '../access/cluster-access.ts';
import { forbidden } from '../access/forbidden.ts';
import type { UserInfo } from '../access/user.ts';
import { keyOfTarget, type Target } from '../resources/request.ts';
import type { Store } from '../store/store.ts';

/**
 * Throws `Forbidden` when a write that creates a missing object (server-side apply, some updates) finds none and its
 * user lacks the right to create it.
 */
export async function authorizeCreation(
  store: Pick<Store, 'get'>,
  { user, access }: { readonly user: UserInfo; readonly access?: ClusterAccess | undefined },
  target: Target,
): Promise<void> {
  if (access === undefined) return;
  const { groupResource } = target.resource.kind;
  const attributes = { verb: 'create', ...groupResource, namespace: target.namespace, name: target.name };
  if (access.authorize(user, attributes).allowed) return;
  if ((await store.get(keyOfTarget(target))) === undefined) throw forbidden(user, attributes);
}
