import { isError, type JsonObject, type KubeObject, type ManagedFieldsEntry } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { retryOnConflict } from '@chandlery/runtime';
import { type DesiredObject, titleOf, whereOf } from './desired-object.ts';
import { isOwned, otherOwner, releasePatch, sharedReleasePatch, usersOf } from './ownership.ts';
import { isBareOurs, removalOrder } from './removal.ts';
import { type Found, type Work, wrapError } from './work.ts';

/**
 * Removes ownership labels and field ownership from everything of the owner. Returns one line for each object that
 * stays.
 */
export async function releaseDesired(work: Work, desiredObjects: readonly DesiredObject[]): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const found of [...(await removalOrder(work, desiredObjects))].reverse()) {
    const connection = work.connections[found.role];
    if (connection === undefined) continue;
    work.watches.watch(connection, found.ref).drop(found.ref, work.owner.key);
    const line = await retryOnConflict(() => releaseObject(work, connection.client, found));
    if (line !== undefined) lines.push(line);
  }
  return lines;
}

async function releaseObject(work: Work, client: Client, found: Found): Promise<string | undefined> {
  const { provider, owner, signal } = work;
  const title = `${titleOf(found.object)} ${whereOf(found.role)}`;
  try {
    const live = await client.get(found.ref, { signal });
    if (isOwned(live, provider, owner) || isBareOurs(live, provider, owner))
      await client.patch(found.ref, letGo(work, live), { fieldManager: `${work.fieldManager}.released`, signal });
    else if (otherOwner(live, { provider, owner, isShared: false }) !== undefined) return undefined;
    const others = usersOf(live).filter(key => key !== owner.key).length;
    return others === 0 ? `${title} stays and is no longer managed.` : `${title} stays: others use it too.`;
  } catch (error) {
    if (isError(error, 'NotFound')) return undefined;
    throw wrapError(error, `let go of ${title}`);
  }
}

/**
 * Applying less would delete fields. Therefore our entries are removed from managedFields, which leaves the fields
 * without an owner. An empty list would be ignored: one empty entry means none.
 */
function letGo(work: Work, live: KubeObject): { type: 'merge'; body: JsonObject } {
  const { uid, resourceVersion, managedFields = [] } = live.metadata;
  const identity = { uid, resourceVersion };
  if (usersOf(live).some(key => key !== work.owner.key)) {
    return { type: 'merge', body: { metadata: { ...identity, ...sharedReleasePatch } } };
  }
  const others = managedFields.filter(({ manager = '' }) => !isOwnManager(work, manager));
  const kept: ManagedFieldsEntry[] = others.length === 0 ? [{}] : others;
  const metadata = { ...identity, ...releasePatch(work.provider, work.owner), managedFields: kept as JsonObject[] };
  return { type: 'merge', body: { metadata } };
}

const isOwnManager = ({ fieldManager }: Work, manager: string): boolean =>
  manager === fieldManager || manager === `${fieldManager}.users`;
