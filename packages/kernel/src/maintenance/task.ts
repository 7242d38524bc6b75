import { isError, type KubeObject } from '@chandlery/api';
import type { UserInfo } from '../access/index.ts';
import { decodeValue } from '../codec/stored-value.ts';
import type { FeedEvent } from '../feed/feed-event.ts';
import { type DeleteOptions, deleteObject } from '../resources/delete.ts';
import { type Mutation, mutateObject } from '../resources/mutate.ts';
import type { ResourceDeps, Target, WriteOptions } from '../resources/request.ts';
import type { ObjectKey } from '../store/store.ts';
import type { TaskOutcome } from './task-queue.ts';

/** Something that keeps the store true, woken by changes. */
export interface MaintenanceTask {
  readonly name: string;
  /** The keys that a change makes worth looking at. */
  keysFor(event: FeedEvent): Iterable<string>;
  /** Looks at the world as it is and does what is missing. Running it twice changes nothing more. */
  work(key: string): Promise<TaskOutcome>;
}

const user: UserInfo = {
  username: 'system:chandlery:housekeeping',
  groups: ['system:masters', 'system:authenticated'],
};
/** How the maintenance tasks write. */
export const maintenanceWrite: WriteOptions = {
  user,
  fieldManager: 'chandlery-housekeeping',
  fieldValidation: 'Ignore',
  isInternal: true,
};

/** Keys of objects as queue keys, and back. */
export const textOfKey = ({ cluster, resource, namespace, name }: ObjectKey): string =>
  [cluster, resource, namespace, name].join(' ');

export function keyOfText(text: string): ObjectKey {
  // Some kinds allow spaces in names, so the name comes last.
  const [cluster = '', resource = '', namespace = '', ...name] = text.split(' ');
  return { cluster, resource, namespace, name: name.join(' ') };
}

/** The target that a stored object is, in its storage version; undefined when its kind is no longer served. */
export async function targetOfKey(
  deps: ResourceDeps,
  { cluster, resource, namespace, name }: ObjectKey,
): Promise<Target | undefined> {
  const served = (await deps.registry.of(cluster)).get(resource);
  if (served === undefined) return undefined;
  return { cluster, resource: { ...served, version: served.kind.storageVersion }, namespace, name };
}

/** A stored object; undefined when there is none. */
export async function readStored(deps: ResourceDeps, key: ObjectKey): Promise<KubeObject | undefined> {
  const stored = await deps.store.get(key);
  return stored && decodeValue(deps.codec.open(key, stored.value), stored.revision);
}

/** Deletes in the name of the house. Gone already, or another one by now, is fine. */
export async function maintenanceDelete(deps: ResourceDeps, target: Target, options: DeleteOptions): Promise<void> {
  await unless(deleteObject(deps, target, maintenanceWrite, options), 'NotFound', 'Conflict');
}

/** Changes an object for maintenance, whatever others write meanwhile. An object that no longer exists is no error. */
export async function maintenanceMutate(
  deps: ResourceDeps,
  target: Target,
  endpoint: Mutation['endpoint'],
  change: (live: KubeObject) => KubeObject,
): Promise<void> {
  const unpinned = (live: KubeObject): KubeObject => {
    const next = change(live);
    const { resourceVersion: _, ...metadata } = next.metadata;
    return { ...next, metadata };
  };
  await unless(mutateObject(deps, target, maintenanceWrite, { endpoint, change: unpinned }), 'NotFound');
}

async function unless(action: Promise<unknown>, ...expected: readonly string[]): Promise<void> {
  try {
    await action;
  } catch (error) {
    if (!isError(error, ...expected)) throw error;
  }
}

export const withoutFinalizer = (object: KubeObject, finalizer: string): KubeObject => {
  const finalizers = (object.metadata.finalizers ?? []).filter(name => name !== finalizer);
  const { finalizers: _, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, ...(finalizers.length === 0 ? {} : { finalizers }) } };
};
