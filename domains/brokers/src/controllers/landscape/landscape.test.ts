import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silentLogger } from '@chandlery/platform';
import { eventually } from '@chandlery/testing';
import { startBrokerActions, type TestBrokerActions } from '../../actions/test-broker-actions.ts';
import { MemoryInternalBroker } from '../../adapters/internal-broker/test-internal-broker.ts';
import type { InternalBroker, InternalObject, InternalObjectListener, InternalObjects } from '../../kinds/index.ts';
import { choosePlan } from '../../model/catalog/choose-plan.ts';
import { removeRow, updateRow } from '../../model/rows.ts';
import { seedOperation, seedRow, seedTenant } from '../../test-registry.ts';
import { startBrokerController } from '../brokers/start-broker-controller.ts';
import { startLandscape } from './start-landscape.ts';

/** A source whose objects the test makes, as clients of its own API do. */
class MemorySource extends MemoryInternalBroker implements InternalBroker {
  readonly native = new Map<string, InternalObject>();
  isKnown = true;
  #listener: InternalObjectListener | undefined;

  readonly objects: InternalObjects = {
    listen: listener => {
      this.#listener = listener;
      for (const id of this.native.keys()) listener.changed(id);
      return () => undefined;
    },
    isComplete: () => this.isKnown,
    get: async id => this.native.get(id),
  };

  put(id: string, more: Partial<InternalObject> = {}): void {
    this.native.set(id, {
      id,
      serviceId: 'memory',
      planId: 'memory-sync',
      name: id,
      tenant: 'acme',
      username: 'alice',
      isProvisioned: false,
      createdAt: new Date().toISOString(),
      progress: { state: 'in progress' },
      isDeleting: false,
      ...more,
    });
    this.#listener?.changed(id);
  }

  drop(id: string): void {
    this.native.delete(id);
    this.#listener?.changed(id);
  }
}

interface World extends TestBrokerActions {
  readonly source: MemorySource;
  readonly start: () => AsyncDisposable;
}

async function startWorld(): Promise<World> {
  const source = new MemorySource();
  const internalBrokers = new Map<string, InternalBroker>([['memory', source]]);
  const world = await startBrokerActions({ internalBrokers });
  await seedTenant(world.client, 'acme');
  const start = () => startLandscape({ ...world, internalBrokers, logger: silentLogger });
  return { ...world, source, start };
}

const untilRow = ({ registry }: World, id: string, isThere = true) =>
  eventually(() => (registry.instances.get(id) !== undefined) === isThere, { what: `instance ${id}` });

const untilBroker = ({ registry }: World) =>
  eventually(() => registry.brokers.get('landscape-memory') !== undefined, { what: 'the broker' });

describe('what a domain offers', () => {
  test('is in the catalogue from the start, open on the own platform alone', async () => {
    await using world = await startWorld();
    const { registry } = world;
    await using _running = world.start();
    await untilBroker(world);
    assert.equal(registry.brokers.get('landscape-memory')?.spec.internal, 'memory');
    const plans = [...registry.plans.by('brokerId', 'landscape-memory')];
    assert.deepEqual(plans.map(({ spec }) => spec.name).sort(), ['slow', 'sync']);
    assert.deepEqual(
      [...registry.visibilities.all()].map(({ spec }) => [spec.planId, spec.platformId]).sort(),
      plans.map(({ id }) => [id, 'service-manager']).sort(),
    );
  });

  test('that an operator has closed stays closed', async () => {
    await using world = await startWorld();
    const { registry, actions } = world;
    {
      await using _running = world.start();
      await untilBroker(world);
    }
    for (const visibility of [...registry.visibilities.all()]) await actions.visibilities.remove(visibility);
    const broker = registry.brokers.get('landscape-memory') ?? assert.fail();
    await actions.brokers.update(broker, { correlationId: 'c' });
    assert.equal(registry.visibilities.size, 0);
  });

  test('comes back when its broker is removed', async () => {
    await using world = await startWorld();
    const { registry, actions } = world;
    await using _running = world.start();
    await untilBroker(world);
    const broker = registry.brokers.get('landscape-memory') ?? assert.fail();
    await actions.brokers.remove(broker);
    await eventually(() => (registry.brokers.get('landscape-memory')?.revision ?? 0) > broker.revision);
  });

  test('is not ambiguous where somebody has registered the same source', async () => {
    await using world = await startWorld();
    const { registry, actions } = world;
    await using _running = world.start();
    await untilBroker(world);
    const registered = { tenant: 'service-manager', name: 'mine', internal: 'memory', credentials: {} };
    const { id } = await actions.brokers.register({ ...registered, correlationId: 'c' });
    const plan = choosePlan(registry, { offeringName: 'memory', planName: 'sync' }, () => true);
    assert.equal(plan.spec.brokerId, id);
  });
});

describe('an instance that was made through the API of its domain', () => {
  test('is an instance of the service manager, as far as it is', async () => {
    await using world = await startWorld();
    const { registry, source } = world;
    await using _running = world.start();
    source.put('db');
    await untilRow(world, 'db');
    const row = registry.instances.get('db') ?? assert.fail();
    assert.equal(row.tenant, 'acme');
    assert.equal(row.spec.name, 'db');
    assert.deepEqual(row.spec.labels, { ordered_through: ['memory'], ordered_by: ['alice'] });
    assert.equal(registry.plans.get(row.spec.planId ?? '')?.spec.name, 'sync');
    assert.equal(row.status.ready, false);
    source.put('db', { progress: { state: 'succeeded' } });
    await eventually(() => registry.instances.get('db')?.status.ready === true);
    source.put('db', { progress: { state: 'failed', description: 'no disk' } });
    await eventually(() => registry.instances.get('db')?.status.conditions?.[0]?.message === 'no disk');
  });

  test('goes when it is deleted there, also while nobody was watching', async () => {
    await using world = await startWorld();
    const { source } = world;
    {
      await using _running = world.start();
      source.put('one');
      source.put('two');
      await untilRow(world, 'one');
      await untilRow(world, 'two');
      source.drop('one');
      await untilRow(world, 'one', false);
    }
    source.drop('two');
    await using _again = world.start();
    await untilRow(world, 'two', false);
  });

  test('stays while it is not known whether it was deleted', async () => {
    await using world = await startWorld();
    const { registry, source } = world;
    await using _running = world.start();
    source.put('one');
    await untilRow(world, 'one');
    source.isKnown = false;
    source.drop('one');
    source.put('two');
    await untilRow(world, 'two');
    assert.notEqual(registry.instances.get('one'), undefined);
  });

  test('does not lead to the instance of another tenant or source that has the same id', async () => {
    await using world = await startWorld();
    const { registry, source, client } = world;
    await seedTenant(client, 'evil');
    await using _running = world.start();
    source.put('db', { progress: { state: 'succeeded' } });
    await eventually(() => registry.instances.get('db')?.status.ready === true);
    source.put('db', { tenant: 'evil', progress: { state: 'failed' } });
    source.put('other');
    await untilRow(world, 'other');
    assert.equal(registry.instances.get('db')?.status.ready, true);
    const own = registry.instances.get('other') ?? assert.fail();
    const plan = registry.plans.get(own.spec.planId ?? '') ?? assert.fail();
    await seedRow(registry, 'instances', { id: 'foreign', tenant: 'acme', spec: { planId: 'of another broker' } });
    source.put('foreign', { planId: plan.spec.catalogId });
    source.drop('foreign');
    source.put('last');
    await untilRow(world, 'last');
    assert.notEqual(registry.instances.get('foreign'), undefined);
  });

  test('says where it takes connections as soon as it is ready, and when it moves', async () => {
    await using world = await startWorld();
    const { registry, source } = world;
    await using _running = world.start();
    const at = (port: number) => ({ endpoints: [{ address: '10.0.0.1', port }] });
    const ports = () =>
      registry.instances
        .get('db')
        ?.status.listens?.endpoints.map(({ port }) => port)
        .join() ?? '';
    source.put('db');
    await untilRow(world, 'db');
    const { revision: first } = registry.instances.get('db') ?? assert.fail();
    source.put('db', { progress: { state: 'succeeded' }, listens: at(1) });
    await eventually(() => ports() === '1');
    assert.equal(registry.instances.get('db')?.status.ready, true);
    assert.equal(registry.instances.get('db')?.revision, first + 1, 'readiness and addresses are one commit');
    source.put('db', { progress: { state: 'succeeded' }, listens: at(2) });
    await eventually(() => ports() === '2');
    source.put('db', { progress: { state: 'succeeded' } });
    await eventually(() => ports() === '');
  });

  test('that was ordered here says so too, once its order is done', async () => {
    await using world = await startWorld();
    const { registry, source } = world;
    await using _running = world.start();
    await untilBroker(world);
    const [plan] = registry.plans.by('catalogId', 'memory-sync');
    const spec = { planId: plan?.id ?? '' };
    const listens = { endpoints: [{ address: '10.0.0.1', port: 1 }] };
    const row = await seedRow(registry, 'instances', { id: 'ordered', tenant: 'acme', spec, status: { ready: false } });
    await seedOperation(registry, { id: 'op', spec: { resourceId: 'ordered' }, status: { state: 'in progress' } });
    source.put('ordered', { isProvisioned: true, progress: { state: 'succeeded' }, listens });
    const operation = registry.operations.get('op') ?? assert.fail();
    await registry.commit([
      updateRow({ table: 'operations', row: operation, status: { ...operation.status, state: 'succeeded' } }),
      updateRow({ table: 'instances', row, status: { ...row.status, ready: true } }),
    ]);
    await eventually(() => registry.instances.get('ordered')?.status.listens !== undefined, { what: 'the addresses' });
    assert.deepEqual(registry.instances.get('ordered')?.status.listens, listens);
  });

  test('whose order has failed is what it is when the clean-up has ended, not before', async () => {
    await using world = await startWorld();
    const { registry, source } = world;
    await using _running = world.start();
    await untilBroker(world);
    const [plan] = registry.plans.by('catalogId', 'memory-sync');
    const spec = { planId: plan?.id ?? '' };
    const status = { ready: false, observedGeneration: 1 };
    await seedRow(registry, 'instances', { id: 'ordered', tenant: 'acme', spec, status });
    const cleaning = { state: 'failed', deletionScheduledAt: new Date().toISOString() } as const;
    await seedOperation(registry, { id: 'op', spec: { resourceId: 'ordered' }, status: cleaning });
    source.put('ordered', { isProvisioned: true, progress: { state: 'succeeded' } });
    source.put('other');
    await untilRow(world, 'other');
    assert.equal(registry.instances.get('ordered')?.status.ready, false);
    const row = registry.operations.get('op') ?? assert.fail();
    const { deletionScheduledAt: _, ...ended } = row.status;
    await registry.commit([updateRow({ table: 'operations', row, status: ended })]);
    await eventually(() => registry.instances.get('ordered')?.status.ready === true, { what: 'the instance' });
  });

  test('goes when its object is gone, whatever deletion of it is tried again', async () => {
    await using world = await startWorld();
    const { registry, source } = world;
    await using _running = world.start();
    source.put('db', { progress: { state: 'succeeded' } });
    await untilRow(world, 'db');
    const status = { state: 'failed', deletionScheduledAt: new Date().toISOString() } as const;
    await seedOperation(registry, { id: 'op', spec: { resourceId: 'db', type: 'delete' }, status });
    source.drop('db');
    await untilRow(world, 'db', false);
  });

  test('gets another name where its own is taken', async () => {
    await using world = await startWorld();
    const { registry, source } = world;
    await using _running = world.start();
    source.put('0a1b2c3d-first', { name: 'db' });
    await untilRow(world, '0a1b2c3d-first');
    source.put('4e5f6071-second', { name: 'db' });
    await untilRow(world, '4e5f6071-second');
    assert.equal(registry.instances.get('4e5f6071-second')?.spec.name, 'db-4e5f6071');
  });
});

test('a broker with nothing to offer goes with its last instance', async () => {
  await using world = await startWorld();
  const { registry, source } = world;
  await using _running = world.start();
  source.put('db');
  await untilRow(world, 'db');
  source.catalog = async () => [];
  await registry.commit([removeRow('instances', registry.instances.get('db') ?? assert.fail())]);
  await eventually(() => registry.brokers.get('landscape-memory') === undefined, { what: 'the end of the broker' });
});

test('a change of what one tenant offers refreshes the broker of that tenant alone', async () => {
  const source = new MemorySource();
  const listeners = new Set<(tenant?: string) => void>();
  let plans = 1;
  const scoped: InternalBroker = Object.assign(Object.create(source) as InternalBroker, {
    tenants: () => ['acme'],
    catalog: async (tenant: string) =>
      Array.from({ length: tenant === 'acme' ? plans : 0 }, (_, at) => ({
        id: `s${at}`,
        name: `s${at}`,
        description: 'x',
        isBindable: true,
        plans: [{ id: `p${at}`, name: 'default', description: 'x' }],
      })),
    onCatalogChange: (changed: (tenant?: string) => void) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    objects: undefined,
  });
  const internalBrokers = new Map([['memory', scoped]]);
  await using own = await startBrokerActions({ internalBrokers });
  await seedTenant(own.client, 'acme');
  const options = { ...own, internalBrokers, logger: silentLogger };
  await using _brokers = startBrokerController({ ...options, settings: { catalogIntervalMs: 0 } });
  await using _running = startLandscape(options);
  const brokerId = 'landscape-memory.acme';
  await eventually(() => own.registry.plans.count('brokerId', brokerId) === 1, { what: 'the broker of the tenant' });
  assert.equal(own.registry.brokers.get(brokerId)?.tenant, 'acme');
  plans = 2;
  for (const changed of listeners) changed('acme');
  await eventually(() => own.registry.plans.count('brokerId', brokerId) === 2, { what: 'the new plan' });
  plans = 0;
  for (const changed of listeners) changed('acme');
  await eventually(() => own.registry.brokers.get(brokerId) === undefined, { what: 'the end of the broker' });
});
