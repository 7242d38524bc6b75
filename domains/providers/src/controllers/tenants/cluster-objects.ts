import { isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef, ResourceRef } from '@chandlery/client';
import { apply, type DesiredObject, refOf } from '@chandlery/runtime';

/** What steps do with the objects of one cluster. All reads are live: decisions about deletion must not use a stale cache. */
export interface ClusterObjects {
  find<T extends KubeObject>(ref: ObjectRef): Promise<T | undefined>;
  /** Empty when the kind is not served. */
  list<T extends KubeObject>(ref: ResourceRef, labels?: Readonly<Record<string, string>>): Promise<readonly T[]>;
  create(ref: ResourceRef, object: KubeObject): Promise<void>;
  /** Replaces what was read. */
  replace(ref: ObjectRef, object: KubeObject): Promise<void>;
  /** Server-side applies. A binding whose role is another, which no update may change, is made anew. */
  readonly apply: <T extends KubeObject>(desired: DesiredObject) => Promise<T>;
  /** Deletes the very object that was read, unless it is being deleted already. Does not wait. */
  remove(ref: ResourceRef, object: KubeObject): Promise<void>;
}

/** The objects of a client's cluster, written in the manager's name. */
export function clusterObjects(client: Client, manager: string): ClusterObjects {
  return {
    find: ref => orAbsent(client.get(ref)),
    list: async (ref, labels = {}) => (await orAbsent(listAll(client, ref, labels))) ?? [],
    create: async (ref, object) => void (await client.create(ref, object, { fieldManager: manager })),
    replace: async (ref, object) => void (await client.update(ref, object, { fieldManager: manager })),
    apply: desired => applyOne(client, manager, desired),
    remove: (ref, object) => remove(client, ref, object),
  };
}

async function listAll<T extends KubeObject>(
  client: Client,
  ref: ResourceRef,
  labels: Readonly<Record<string, string>>,
): Promise<T[]> {
  const labelSelector = Object.entries(labels)
    .map(([label, value]) => `${label}=${value}`)
    .join(',');
  return Array.fromAsync(client.listAll<T>(ref, labelSelector === '' ? {} : { labelSelector }));
}

async function applyOne<T extends KubeObject>(client: Client, manager: string, desired: DesiredObject): Promise<T> {
  try {
    return (await apply(client, manager, [desired]))[0] as T;
  } catch (error) {
    if (!isError(error, 'Invalid') || !('roleRef' in desired.object)) throw error;
    await orAbsent(client.delete(refOf(desired)));
    return (await apply(client, manager, [desired]))[0] as T;
  }
}

async function remove(client: Client, ref: ResourceRef, { metadata }: KubeObject): Promise<void> {
  if (metadata.deletionTimestamp !== undefined) return;
  const { name = '', namespace, uid } = metadata;
  const at = { ...ref, name, ...(namespace === undefined ? {} : { namespace }) };
  await orAbsent(client.delete(at, uid === undefined ? {} : { preconditions: { uid } }));
}

async function orAbsent<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isError(error, 'NotFound')) return undefined;
    throw error;
  }
}
