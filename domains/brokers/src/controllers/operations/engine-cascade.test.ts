import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CascadeNode, planCascade } from '../../model/operations/plan-cascade.ts';
import { seedInstance, seedPlatform, seedRow, seedVisibility } from '../../test-registry.ts';
import { orderBinding, orderInstance, startTestEngine, type TestEngine } from './test-engine.ts';

async function cascade(world: TestEngine, root: CascadeNode, isForced = false): Promise<string> {
  const { rootId, writes } = planCascade(world.registry, root, { isForced, correlationId: 'c' });
  await world.registry.commit(writes);
  return rootId;
}

/** An instance with two bindings at the broker, owned by a platform. */
async function furnish(world: TestEngine, platformId?: string): Promise<string> {
  const { registry } = world;
  const instance = await orderInstance(world, world.plan('database', 'sync'));
  await world.ended(instance.operationId);
  for (let i = 0; i < 2; i++) await world.ended((await orderBinding(world, instance.id)).operationId);
  const row = registry.instances.get(instance.id);
  assert.ok(row);
  if (platformId !== undefined) {
    await registry.commit([{ type: 'update', table: 'instances', row, spec: { ...row.spec, platformId } }]);
  }
  return instance.id;
}

test('a platform goes with everything on it, leaves first', async () => {
  await using world = await startTestEngine();
  const { registry, broker } = world;
  world.engine();
  const platform = await seedPlatform(registry, { id: 'cf-1', spec: { type: 'cloudfoundry' } });
  await seedVisibility(registry, { spec: { planId: world.plan('database', 'sync').id, platformId: 'cf-1' } });
  await seedRow(registry, 'credentials', {
    spec: { platformId: 'cf-1', brokerId: world.brokerId, username: 'u', passwordHash: 'h' },
  });
  const ids = [await furnish(world, 'cf-1'), await furnish(world, 'cf-1')];
  broker.forgetRequests();
  const rootId = await cascade(world, { table: 'platforms', row: platform });
  assert.equal((await world.ended(rootId)).status.state, 'succeeded');
  assert.deepEqual([broker.instances.size, broker.bindings.size], [0, 0]);
  assert.equal(registry.platforms.get('cf-1'), undefined);
  assert.equal(registry.visibilities.count('platformId', 'cf-1'), 0);
  assert.equal(registry.credentials.count('platformId', 'cf-1'), 0);
  for (const id of ids) {
    const order = broker.requests
      .filter(({ url }) => url.includes(id))
      .map(({ url }) => url.includes('service_bindings'));
    assert.deepEqual(order, [true, true, false]);
  }
});

test('a rejected deletion fails all its ancestors, with the reason at the leaf, and its siblings are deleted', async () => {
  await using world = await startTestEngine();
  const { registry, broker } = world;
  world.engine();
  const platform = await seedPlatform(registry, { id: 'cf-1' });
  const kept = await furnish(world, 'cf-1');
  const [stubborn] = [...registry.bindings.by('instanceId', kept)];
  const free = await furnish(world, 'cf-1');
  broker.misbehave(
    { type: 'answer', status: 400, body: { description: 'in use' } },
    { method: 'DELETE', path: new RegExp(stubborn?.id ?? '-') },
  );
  const root = await world.ended(await cascade(world, { table: 'platforms', row: platform }));
  assert.equal(root.status.state, 'failed');
  const [error, ...more] = (root.status.errors as { cascade_errors: Record<string, unknown>[] }).cascade_errors;
  assert.deepEqual(more, []);
  assert.deepEqual(
    [error?.['parent_id'], error?.['resource_type'], error?.['resource_id']],
    [kept, '/v1/service_bindings', stubborn?.id],
  );
  assert.match((error?.['message'] as { description: string }).description, /in use/);
  assert.equal(registry.instances.get(free), undefined);
  assert.ok(registry.instances.get(kept));
  assert.ok(registry.platforms.get('cf-1'));
});

test('a forced cascade ends well whatever the broker says', async () => {
  await using world = await startTestEngine();
  world.engine();
  const id = await furnish(world);
  world.broker.misbehave({ type: 'answer', status: 500 }, { method: 'DELETE', times: Number.POSITIVE_INFINITY });
  const row = world.registry.instances.get(id);
  assert.ok(row);
  const root = await world.ended(await cascade(world, { table: 'instances', row }, true));
  assert.equal(root.status.state, 'succeeded');
  assert.equal(world.registry.instances.get(id), undefined);
  assert.equal(world.registry.bindings.count('instanceId', id), 0);
});

test('a broker that goes away during a cascade is waited for; one that stays away fails it', async () => {
  await using world = await startTestEngine({ settings: { cascadeMitigationTimeoutMs: 60 } });
  world.engine();
  const id = await furnish(world);
  await world.broker.stop();
  const row = world.registry.instances.get(id);
  assert.ok(row);
  const root = await world.ended(await cascade(world, { table: 'instances', row }));
  assert.equal(root.status.state, 'failed');
  assert.equal((root.status.errors as { cascade_errors: unknown[] }).cascade_errors.length, 2);
  await world.broker.start();
  const again = await world.ended(
    await cascade(world, { table: 'instances', row: world.registry.instances.get(id) ?? row }),
  );
  assert.equal(again.status.state, 'succeeded');
});

test('an engine that takes over continues a cascade', async () => {
  await using world = await startTestEngine();
  const first = world.engine();
  const id = await furnish(world);
  await first[Symbol.asyncDispose]();
  const row = world.registry.instances.get(id);
  assert.ok(row);
  const rootId = await cascade(world, { table: 'instances', row });
  world.engine();
  assert.equal((await world.ended(rootId)).status.state, 'succeeded');
  assert.equal(world.broker.instances.size, 0);
});

test('a platform with many instances is deleted by one cascade', async () => {
  await using world = await startTestEngine();
  const { registry } = world;
  const platform = await seedPlatform(registry, { id: 'big' });
  const planId = world.plan('database', 'sync').id;
  await Promise.all(
    Array.from({ length: 600 }, () =>
      seedInstance(registry, { spec: { planId, platformId: 'big' }, status: { ready: true } }),
    ),
  );
  world.engine();
  const rootId = await cascade(world, { table: 'platforms', row: platform });
  await registry.operations.until(rootId, row => row?.status.state === 'succeeded', AbortSignal.timeout(60_000));
  assert.equal(registry.instances.count('platformId', 'big'), 0);
  assert.equal(registry.platforms.get('big'), undefined);
});
