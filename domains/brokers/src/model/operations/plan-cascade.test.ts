import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SmError } from '../../errors.ts';
import { seedBinding, seedInstance, seedOperation, seedPlatform, startTestRegistry } from '../../test-registry.ts';
import type { OperationRow, Registry } from '../rows.ts';
import { checkCascade } from './check-cascade.ts';
import { type CascadeNode, planCascade, waitedForBy } from './plan-cascade.ts';

const options = { isForced: false, correlationId: 'c' };

describe('the tree of a cascade', () => {
  test('has each resource once, references and bindings below what they hang on', async () => {
    await using world = await startTestRegistry();
    const { registry } = world;
    const row = await seedPlatform(registry, { id: 'cf' });
    await seedInstance(registry, { id: 'db', spec: { platformId: 'cf', shared: true } });
    await seedInstance(registry, { id: 'ref', spec: { platformId: 'cf', referencedInstanceId: 'db' } });
    await seedInstance(registry, { id: 'queue', spec: { platformId: 'cf' } });
    await seedInstance(registry, { id: 'elsewhere' });
    await seedBinding(registry, { id: 'db-binding', spec: { instanceId: 'db' } });
    await seedBinding(registry, { id: 'ref-binding', spec: { instanceId: 'ref' } });
    await seedBinding(registry, { id: 'other-binding', spec: { instanceId: 'elsewhere' } });
    await commitPlan(registry, { table: 'platforms', row });
    assert.deepEqual(treeOf(registry), {
      cf: undefined,
      db: 'cf',
      queue: 'cf',
      'db-binding': 'db',
      ref: 'db',
      'ref-binding': 'ref',
    });
  });

  test('is pending, forced where asked, and knows its root', async () => {
    await using world = await startTestRegistry();
    const { registry } = world;
    const row = await seedInstance(registry, { id: 'db' });
    await seedBinding(registry, { id: 'binding', spec: { instanceId: 'db' } });
    const { rootId, writes } = planCascade(registry, { table: 'instances', row }, { ...options, isForced: true });
    await registry.commit(writes);
    const operations = [...registry.operations.by('cascadeRootId', rootId)];
    assert.equal(operations.length, 2);
    for (const { spec, status } of operations) {
      assert.deepEqual([status.state, spec.isForced, spec.type], ['pending', true, 'delete']);
      assert.deepEqual(spec.labels, { force: ['true'] });
    }
    assert.equal(registry.operations.get(rootId)?.spec.resourceId, 'db');
  });

  test('waits for a deletion that already runs, with all that hangs on it', async () => {
    await using world = await startTestRegistry();
    const { registry } = world;
    const row = await seedPlatform(registry, { id: 'cf' });
    await seedInstance(registry, { id: 'db', spec: { platformId: 'cf' } });
    await seedBinding(registry, { id: 'binding', spec: { instanceId: 'db' } });
    const running = await seedOperation(registry, {
      spec: { type: 'delete', resourceId: 'db' },
      status: { state: 'in progress' },
    });
    await commitPlan(registry, { table: 'platforms', row });
    const child = deletionsOf(registry).find(({ spec }) => spec.resourceId === 'db');
    assert.equal(child && waitedForBy(child), running.id);
    assert.deepEqual(treeOf(registry), { cf: undefined, db: 'cf' });
  });

  test('of two that begin at once only one is committed', async () => {
    await using world = await startTestRegistry();
    const { registry } = world;
    const row = await seedInstance(registry, { id: 'db' });
    const plans = [1, 2].map(() => planCascade(registry, { table: 'instances', row }, options));
    const ends = await Promise.allSettled(plans.map(({ writes }) => registry.commit(writes)));
    assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    assert.equal(deletionsOf(registry).length, 1);
  });
});

describe('a cascade is rejected', () => {
  test('for a platform that is connected', async () => {
    await using world = await startTestRegistry();
    const row = await seedPlatform(world.registry);
    const check = (isActive: boolean) => () => checkCascade(world.registry, { table: 'platforms', row }, isActive);
    assert.throws(check(true), error => error instanceof SmError && error.status === 422);
    assert.doesNotThrow(check(false));
  });

  test('for a platform whose shared instance is referred to from another one', async () => {
    await using world = await startTestRegistry();
    const { registry } = world;
    const row = await seedPlatform(registry, { id: 'cf' });
    await seedInstance(registry, { id: 'db', spec: { platformId: 'cf', shared: true } });
    await seedInstance(registry, { id: 'near', spec: { platformId: 'cf', referencedInstanceId: 'db' } });
    assert.doesNotThrow(() => checkCascade(registry, { table: 'platforms', row }, false));
    await seedInstance(registry, { id: 'far', spec: { platformId: 'k8s', referencedInstanceId: 'db' } });
    assert.throws(
      () => checkCascade(registry, { table: 'platforms', row }, false),
      error => error instanceof SmError && error.status === 422 && error.facts.ids?.join() === 'far',
    );
  });

  test('never for an instance: its references go with it', async () => {
    await using world = await startTestRegistry();
    const { registry } = world;
    const row = await seedInstance(registry, { id: 'db', spec: { shared: true } });
    await seedInstance(registry, { id: 'far', spec: { platformId: 'k8s', referencedInstanceId: 'db' } });
    assert.doesNotThrow(() => checkCascade(registry, { table: 'instances', row }, false));
    await commitPlan(registry, { table: 'instances', row });
    assert.deepEqual(treeOf(registry), { db: undefined, far: 'db' });
  });
});

async function commitPlan(registry: Registry, node: CascadeNode): Promise<void> {
  await registry.commit(planCascade(registry, node, options).writes);
}

const deletionsOf = (registry: Registry): OperationRow[] =>
  [...registry.operations.all()].filter(({ spec }) => spec.cascadeRootId !== undefined);

/** The parent of each resource. */
function treeOf(registry: Registry): Record<string, string | undefined> {
  const resourceOf = (id: string | undefined) => registry.operations.get(id ?? '')?.spec.resourceId;
  return Object.fromEntries(deletionsOf(registry).map(({ spec }) => [spec.resourceId, resourceOf(spec.parentId)]));
}
