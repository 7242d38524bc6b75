import { isError, type KubeObject } from '@chandlery/api';
import type { Client, DeleteOptions } from '@chandlery/client';
import { isDeleting } from '@chandlery/runtime';
import { type DesiredObject, titleOf, whereOf } from './desired-object.ts';
import type { OwnerInfo, RemovalReport } from './managed-objects.ts';
import { isAppliedBy, isOwned, isUnused, otherOwner, userAnnotation, usersOf } from './ownership.ts';
import { type Found, findLeftovers, namespacesLast, readObject, type Work, wrapError } from './work.ts';

/** Kinds that are deleted only after their dependants. */
const makers = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Job', 'CronJob']);

/** Deletes everything of the owner in reverse order, each object after those behind it. */
export async function removeDesired(work: Work, desiredObjects: readonly DesiredObject[]): Promise<RemovalReport> {
  for (const found of await removalOrder(work, desiredObjects)) {
    const message = await removeObject(work, found);
    if (message !== undefined) return { isRemoved: false, message };
  }
  return { isRemoved: true, message: '' };
}

/** Objects that are no longer desired first, then the desired ones in reverse order, namespaces at the end. */
export async function removalOrder(work: Work, desiredObjects: readonly DesiredObject[]): Promise<readonly Found[]> {
  const reachable = desiredObjects.filter(({ role }) => work.connections[role] !== undefined);
  const known = reachable.map(({ role, ref, body }) => ({ role, ref, object: body, isDesired: true }));
  return namespacesLast([...(await findLeftovers(work, desiredObjects, true)), ...known.reverse()]);
}

/**
 * Deletes an object if it belongs to the owner. Returns what is waited for; undefined when it does not exist or belongs
 * to another owner.
 */
export async function removeObject(work: Work, found: Found): Promise<string | undefined> {
  const { owner } = work;
  const connection = work.connections[found.role];
  if (connection === undefined) return undefined;
  work.watches.watch(connection, found.ref).drop(found.ref, owner.key);
  const live = await readObject(connection.client, found.ref, work);
  if (live === undefined || !isRemovable(work, found, live)) return undefined;
  if (isDeleting(live)) return waitingFor(found, live);
  try {
    return await take(work, connection.client, { found, live });
  } catch (error) {
    if (isError(error, 'NotFound')) return undefined;
    throw wrapError(error, `delete ${titleOf(found.object)} ${whereOf(found.role)}`);
  }
}

/**
 * Covers a process that stopped between creating a shared object and adding its user, and a tenant that removed our
 * labels from an object that we applied.
 */
function isRemovable({ provider, owner }: Work, { isDesired = false }: Found, live: KubeObject): boolean {
  if (isOwned(live, provider, owner)) return true;
  return isDesired && (isUnused(live, provider) || isBareOurs(live, provider, owner));
}

/** Whether we applied an object that has no ownership labels any more. */
export const isBareOurs = (live: KubeObject, provider: string, owner: OwnerInfo): boolean =>
  isAppliedBy(live, provider) &&
  usersOf(live).length === 0 &&
  otherOwner(live, { provider, owner, isShared: false }) === undefined;

async function take(work: Work, client: Client, { found, live }: { found: Found; live: KubeObject }) {
  if (usersOf(live).some(key => key !== work.owner.key)) {
    await leaveShared(work, client, { found, live });
    return undefined;
  }
  await client.delete(found.ref, deletionOf(work, live));
  const after = await readObject(client, found.ref, work);
  if (after === undefined || after.metadata.uid !== live.metadata.uid) return undefined;
  return waitingFor(found, after);
}

/**
 * Deletes the object that was read, by uid; a shared one also by version, because another owner may begin to use it.
 */
function deletionOf({ signal }: Work, live: KubeObject): DeleteOptions {
  const { uid, resourceVersion } = live.metadata;
  const isShared = usersOf(live).length > 0;
  return {
    signal,
    propagationPolicy: makers.has(live.kind) ? 'Foreground' : 'Background',
    preconditions: { uid, ...(isShared ? { resourceVersion } : {}) },
  };
}

async function leaveShared(
  { owner, fieldManager, signal }: Work,
  client: Client,
  { found, live }: { found: Found; live: KubeObject },
) {
  const annotations = { [userAnnotation(owner)]: null };
  const body = { metadata: { uid: live.metadata.uid, annotations } };
  await client.patch(found.ref, { type: 'merge', body }, { fieldManager: `${fieldManager}.users`, signal });
}

function waitingFor({ role, object }: Found, live: KubeObject): string {
  const finalizers = [...(live.metadata.finalizers ?? [])].sort().join(', ');
  const why = finalizers === '' ? '' : ` It is held by ${finalizers}.`;
  return `Waiting for ${titleOf(object)} ${whereOf(role)} to be deleted.${why}`;
}
