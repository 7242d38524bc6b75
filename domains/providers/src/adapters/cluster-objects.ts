import { isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef, ResourceRef } from '@chandlery/client';
import { apply, type DesiredObject, ignoreNotFound, refOf } from '@chandlery/runtime';
import type { ClusterObjects } from '../ports.ts';

/** The objects of a client's cluster, written with one field manager. */
export function clusterObjects(client: Client, manager: string): ClusterObjects {
  return {
    find: <T extends KubeObject>(ref: ObjectRef) => client.get<T>(ref).catch(ignoreNotFound),
    list: async <T extends KubeObject>(ref: ResourceRef, labels: Readonly<Record<string, string>> = {}) =>
      (await listAll<T>(client, ref, labels).catch(ignoreNotFound)) ?? [],
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
    await client.delete(refOf(desired)).catch(ignoreNotFound);
    return (await apply(client, manager, [desired]))[0] as T;
  }
}

async function remove(client: Client, ref: ResourceRef, { metadata }: KubeObject): Promise<void> {
  if (metadata.deletionTimestamp !== undefined) return;
  const { name = '', namespace, uid } = metadata;
  const at = { ...ref, name, ...(namespace === undefined ? {} : { namespace }) };
  await client.delete(at, uid === undefined ? {} : { preconditions: { uid } }).catch(ignoreNotFound);
}
