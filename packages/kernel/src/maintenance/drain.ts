import type { KubeObject } from '@chandlery/api';
import { decodeValue } from '../codec/stored-value.ts';
import type { ResourceDeps } from '../resources/request.ts';
import type { StoredObject } from '../store/store.ts';
import { maintenanceDelete, readStored, targetOfKey } from './task.ts';

/** What is still there after a drain, and why. */
export interface Remains {
  /** Objects by `plural.group`. */
  readonly counts: ReadonlyMap<string, number>;
  /** Objects by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
}

export interface DrainScope {
  readonly cluster: string;
  /** Undefined: cluster-scoped objects and all namespaces. */
  readonly namespace?: string;
  readonly resources: readonly string[];
}

const pageSize = 200;

/** Deletes everything in scope that is not being deleted yet, and reports what remains. */
export async function drain(deps: ResourceDeps, { cluster, namespace, resources }: DrainScope): Promise<Remains> {
  const counts = new Map<string, number>();
  const finalizers = new Map<string, number>();
  for (const resource of resources) {
    for await (const page of pagesOf(deps, { cluster, namespace, resource })) {
      // Together, so that the deletions of a page share commits.
      for (const left of await Promise.all(page.map(stored => remove(deps, stored)))) {
        if (left === undefined) continue;
        increment(counts, readable(resource));
        for (const finalizer of left.metadata.finalizers ?? []) increment(finalizers, finalizer);
      }
    }
  }
  return { counts, finalizers };
}

/** Deletes an object unless that has begun already; answers it if it is still there. */
async function remove(deps: ResourceDeps, { key, value, revision }: StoredObject): Promise<KubeObject | undefined> {
  const { metadata } = decodeValue(deps.codec.open(key, value), revision);
  const target = metadata.deletionTimestamp === undefined ? await targetOfKey(deps, key) : undefined;
  if (target !== undefined)
    await maintenanceDelete(deps, target, { preconditions: { uid: metadata.uid }, propagationPolicy: 'Background' });
  return readStored(deps, key);
}

async function* pagesOf(
  deps: ResourceDeps,
  query: { cluster: string; namespace: string | undefined; resource: string },
): AsyncIterable<readonly StoredObject[]> {
  let after: StoredObject['key'] | undefined;
  for (;;) {
    const page = await deps.store.list({ ...query, limit: pageSize, ...(after === undefined ? {} : { after }) });
    yield page.items;
    after = page.items.at(-1)?.key;
    if (!page.more || after === undefined) return;
  }
}

const increment = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);

function readable(resource: string): string {
  const [group = '', plural = ''] = resource.split('/');
  return group === '' ? plural : `${plural}.${group}`;
}

/** How many objects are still there. */
export const countRemains = ({ counts }: Remains): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0);

/** `a has 2 resource instances, b has 1 resource instances`, sorted, so that the same remains give the same text. */
export const describeCounts = ({ counts }: Remains): string =>
  [...counts]
    .sort(byName)
    .map(([resource, count]) => `${resource} has ${count} resource instances`)
    .join(', ');

export const describeFinalizers = ({ finalizers }: Remains): string =>
  [...finalizers]
    .sort(byName)
    .map(([finalizer, count]) => `${finalizer} in ${count} resource instances`)
    .join(', ');

/** Both in one text. */
export const describeRemains = (remains: Remains): string =>
  remains.finalizers.size === 0
    ? describeCounts(remains)
    : `${describeCounts(remains)}; waiting for finalizers: ${describeFinalizers(remains)}`;

const byName = ([a]: readonly [string, number], [b]: readonly [string, number]): number => (a < b ? -1 : a > b ? 1 : 0);
