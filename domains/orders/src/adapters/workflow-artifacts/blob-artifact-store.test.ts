import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { KeyedMutex } from '@chandlery/platform';
import { eventually, startTestPlane, tempFolder } from '@chandlery/testing';
import { TenantBudget } from '../../actions/tenant-budget.ts';
import { startBlobWorker } from '../../controllers/blobs/blob-worker.ts';
import { workflowKinds, workflowsCluster } from '../../kinds/workflows/index.ts';
import { StatusJoin } from '../../model/workflows/join-workflow.ts';
import { TenantUsage } from '../../registry/tenant-usage.ts';
import { createWorkflowRegistry } from '../../registry/workflows/workflow-registry.ts';
import { startTestOrders } from '../../test-orders.ts';
import { BlobArtifactStore } from './blob-artifact-store.ts';

const namespaces = { group: '', version: 'v1', plural: 'namespaces' } as const;
const maxTenantBytes = 100;
const first = { uid: 'u1', name: 'first', namespace: 'orders-default' };
const second = { uid: 'u2', name: 'second', namespace: 'orders-default' };
const foreign = { uid: 'u3', name: 'third', namespace: 'orders-other' };

/** Artifacts of workflows beside those of orders, in one blob store. */
async function open() {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder());
  const orders = stack.use(await startTestOrders());
  const plane = stack.use(await startTestPlane({ kinds: workflowKinds(new StatusJoin()) }));
  const client = plane.connect(workflowsCluster);
  for (const { namespace: name } of [first, foreign])
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const registry = stack.use(createWorkflowRegistry({ client }));
  await registry.synced;
  const usage = stack.use(new TenantUsage(orders.registry, registry.artifacts));
  const budget = new TenantBudget(usage, { ...orders.deps.settings, artifactBytes: maxTenantBytes });
  const { blobs } = orders.deps;
  const blobLocks = new KeyedMutex<string>();
  const store = new BlobArtifactStore(registry, {
    blobs,
    blobLocks,
    maxBytes: maxTenantBytes,
    reserve: (namespace, bytes) => budget.reserveIn(namespace, bytes),
  });
  stack.use(startBlobWorker({ ...orders.deps, blobLocks, workflowArtifacts: registry.artifacts }));
  const digests = () => Array.fromAsync(blobs.digests());
  const put = async (workflow: typeof first, key: string, content: string): Promise<void> => {
    await writeFile(folder.join('content'), content);
    await store.put(workflow, key, folder.join('content'));
  };
  let fetches = 0;
  const fetch = async (namespace: string, key: string): Promise<string | undefined> => {
    const file = folder.join(`fetched-${fetches++}`);
    return (await store.fetch(namespace, key, file)) ? readFile(file, 'utf8') : undefined;
  };
  const all = stack.move();
  return { store, usage, budget, digests, put, fetch, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

describe('Artifacts of workflows', () => {
  it('are blobs, which stay as long as a workflow has them', async () => {
    await using world = await open();
    await world.put(first, 'a', 'same');
    await world.put(second, 'b', 'same');
    assert.equal((await world.digests()).length, 1);
    assert.equal(await world.fetch(first.namespace, 'b'), 'same');
    assert.equal(await world.fetch(foreign.namespace, 'b'), undefined);
    await world.store.remove(first.uid);
    assert.equal(await world.fetch(first.namespace, 'a'), undefined);
    assert.equal(await world.fetch(first.namespace, 'b'), 'same');
    await world.store.remove(second.uid);
    await eventually(async () => (await world.digests()).length === 0, { what: 'the blob is removed' });
  });

  it('replace one another under the same key, and the bytes of the first go', async () => {
    await using world = await open();
    await world.put(first, 'a', 'one');
    await world.put(second, 'a', 'two');
    assert.equal(await world.fetch(first.namespace, 'a'), 'two');
    await eventually(async () => (await world.digests()).length === 1, { what: 'the first blob is removed' });
    await world.store.remove(first.uid);
    assert.equal(await world.fetch(first.namespace, 'a'), 'two', 'it belongs to the second now');
  });

  it('count for the tenant, together with those that it uploads', async () => {
    await using world = await open();
    await world.put(first, 'a', 'x'.repeat(60));
    assert.equal(world.usage.bytesIn(first.namespace), 60);
    assert.throws(() => world.budget.reserve('default', 41), /may have 100 bytes of artifacts/);
    await assert.rejects(world.put(second, 'b', 'y'.repeat(41)), /may have 100 bytes of artifacts/);
    assert.equal(await world.fetch(first.namespace, 'b'), undefined);
    await world.put(foreign, 'b', 'y'.repeat(41));
    await world.store.remove(first.uid);
    await world.put(second, 'b', 'z'.repeat(100));
  });
});
