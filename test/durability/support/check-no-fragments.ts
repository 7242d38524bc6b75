import assert from 'node:assert/strict';
import { logicalClusterResource, openStore, platformCluster, type StoreOptions } from '@chandlery/kernel';

/**
 * Looks into the store of a landscape that has ended: whatever lies there belongs to a logical cluster that exists.
 * The API could not show what a half-applied creation had left, because it hides clusters that do not exist.
 */
export async function checkNoFragments(options: StoreOptions): Promise<void> {
  await using store = await openStore(options);
  const { items } = await store.list({ cluster: platformCluster, resource: logicalClusterResource });
  const existing = new Set(items.map(({ key }) => key.name));
  const filled = new Set((await store.collections()).map(({ cluster }) => cluster));
  assert.deepEqual([...filled].sort(), [...existing].sort());
}
