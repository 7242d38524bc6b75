import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apiError } from '@chandlery/api';
import { silentLogger } from '@chandlery/platform';
import { eventually } from '@chandlery/testing';
import {
  lastPayload,
  notifiedEvents,
  registrationOf,
  startBrokerActions,
  type TestBrokerActions,
} from '../../actions/test-broker-actions.ts';
import type { InternalBroker } from '../../kinds/index.ts';
import { brokerKinds, brokersFinalizer, nameOfId } from '../../kinds/index.ts';
import { newOperation } from '../../model/operations/new-operation.ts';
import { type BrokerRow, removeRow } from '../../model/rows.ts';
import { startScriptedBroker } from '../../test-broker/scripted-broker.ts';
import { seedInstance, seedPlatform } from '../../test-registry.ts';
import { reconcileBroker } from './reconcile-broker.ts';
import { startBrokerController } from './start-broker-controller.ts';

const namespace = 'service-manager';
const secrets = { group: '', version: 'v1', plural: 'secrets' };

const startController = (
  { registry, actions }: TestBrokerActions,
  more: { catalogIntervalMs?: number; internalBrokers?: ReadonlyMap<string, InternalBroker> } = {},
) => {
  const { catalogIntervalMs = 0, internalBrokers } = more;
  return startBrokerController({
    registry,
    actions,
    settings: { catalogIntervalMs },
    logger: silentLogger,
    backOff: { baseMs: 5, maxMs: 50 },
    ...(internalBrokers && { internalBrokers }),
  });
};

/** What `kubectl create` does. */
async function makeBroker({ client }: TestBrokerActions, spec: BrokerRow['spec']): Promise<void> {
  const data = {
    username: Buffer.from('admin').toString('base64'),
    password: Buffer.from('broker-password').toString('base64'),
  };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'mine', namespace }, data };
  await client.create({ ...secrets, namespace }, secret);
  const kind = brokerKinds.brokers;
  await client.create(
    { ...kind.ref, namespace },
    kind.object({ name: 'pg', namespace }, { credentialsSecret: 'mine', ...spec }),
  );
}

const refOf = (table: 'brokers' | 'visibilities', id: string) => ({
  ...brokerKinds[table].ref,
  namespace,
  name: nameOfId(id),
});

const conditionOf = ({ registry }: TestBrokerActions, type: string) => {
  const { status, reason, message } = registry.brokers.get('pg')?.status.conditions?.find(it => it.type === type) ?? {};
  return { status, reason, message };
};

const ready = ({ registry }: TestBrokerActions) =>
  eventually(() => registry.brokers.get('pg')?.status.ready === true, { what: 'the broker to be ready' });

test('a broker that is removed while its catalog is applied has nothing to retry', async () => {
  await using world = await startBrokerActions();
  await using scripted = await startScriptedBroker();
  await makeBroker(world, { url: scripted.url });
  await eventually(() => world.registry.brokers.get('pg') !== undefined);
  const { registry } = world;
  const update = async (broker: BrokerRow): Promise<never> => {
    await registry.commit([removeRow('brokers', broker)]);
    throw apiError('NotFound', 'there is no such broker');
  };
  const result = await reconcileBroker(
    {
      registry,
      actions: { ...world.actions.brokers, update },
      catalogIntervalMs: 0,
      takeStale: () => false,
      lastSettledState: () => undefined,
    },
    'pg',
  );
  assert.equal(result, 'done');
});

describe('a broker made by kubectl', () => {
  test('has its catalog fetched, becomes ready and notifies platforms once', async () => {
    await using world = await startBrokerActions();
    await using scripted = await startScriptedBroker();
    await seedPlatform(world.registry);
    await using _controller = startController(world);
    await makeBroker(world, { url: scripted.url });
    await ready(world);
    assert.deepEqual(conditionOf(world, 'Ready').status, 'True');
    assert.equal(world.registry.plans.size, 9);
    assert.equal(world.registry.brokers.get('pg')?.hasFinalizer, true);
    assert.deepEqual(notifiedEvents(world.registry), [['CREATED', 'service_brokers', '*']]);
    assert.equal(scripted.requests.length, 1);
  });

  test('that was created while the controller was down is reconciled at the start', async () => {
    await using world = await startBrokerActions();
    await using scripted = await startScriptedBroker();
    await makeBroker(world, { url: scripted.url });
    await using _controller = startController(world);
    await ready(world);
  });

  test('that cannot be reached says so, and is ready when it can', async () => {
    await using world = await startBrokerActions();
    await using scripted = await startScriptedBroker();
    await scripted.stop();
    await using _controller = startController(world);
    await makeBroker(world, { url: scripted.url });
    await eventually(() => conditionOf(world, 'Ready').reason === 'BrokerUnreachable', { what: 'a condition' });
    assert.match(conditionOf(world, 'Synced').message ?? '', /could not reach service broker pg/);
    await scripted.start();
    await ready(world);
    assert.equal(conditionOf(world, 'Synced').status, 'True');
  });

  test('without credentials says so', async () => {
    await using world = await startBrokerActions();
    await using scripted = await startScriptedBroker();
    await using _controller = startController(world);
    await makeBroker(world, { url: scripted.url, credentialsSecret: 'nothing' });
    await eventually(() => conditionOf(world, 'Ready').reason === 'CredentialsInvalid', { what: 'a condition' });
  });

  test('and changed by kubectl is fetched again, and platforms receive the old state', async () => {
    await using world = await startBrokerActions();
    await using scripted = await startScriptedBroker();
    const { registry, client } = world;
    await seedPlatform(registry);
    await using _controller = startController(world);
    await makeBroker(world, { url: scripted.url });
    await ready(world);
    await client.patch(refOf('brokers', 'pg'), { type: 'merge', body: { spec: { name: 'renamed' } } });
    await eventually(() => notifiedEvents(registry).length === 2, { what: 'a notification' });
    const { old, new: now } = lastPayload(registry) as Record<string, { resource: { name: string } }>;
    assert.deepEqual([old?.resource.name, now?.resource.name], ['pg', 'renamed']);
    const { status, generation } = registry.brokers.get('pg') ?? {};
    assert.equal(status?.observedGeneration, generation);
  });

  test('with a change that fails stays ready for platforms and says what is wrong', async () => {
    await using world = await startBrokerActions();
    await using scripted = await startScriptedBroker();
    await using _controller = startController(world);
    await makeBroker(world, { url: scripted.url });
    await ready(world);
    scripted.misbehave({ type: 'answer', status: 500 }, { times: Infinity });
    await world.client.patch(refOf('brokers', 'pg'), { type: 'merge', body: { spec: { description: 'new' } } });
    await eventually(() => conditionOf(world, 'Synced').reason === 'CatalogRefused', { what: 'a condition' });
    assert.equal(conditionOf(world, 'Ready').status, 'True');
    assert.equal(world.registry.brokers.get('pg')?.status.ready, true);
  });

  test('and deleted by kubectl waits for its instances, says so, and goes with the last one', async () => {
    await using world = await startBrokerActions();
    await using scripted = await startScriptedBroker();
    const { registry, client } = world;
    await seedPlatform(registry);
    await using _controller = startController(world);
    await makeBroker(world, { url: scripted.url });
    await ready(world);
    const instance = await seedInstance(registry, {
      id: 'i-1',
      spec: { planId: [...registry.plans.all()][0]?.id ?? '' },
    });
    await client.delete(refOf('brokers', 'pg'));
    await eventually(() => conditionOf(world, 'Ready').reason === 'InstancesExist', { what: 'a condition' });
    assert.match(conditionOf(world, 'Ready').message ?? '', /i-1/);
    await registry.commit([removeRow('instances', instance)]);
    await eventually(() => registry.brokers.size === 0, { what: 'the broker to go' });
    assert.equal(registry.plans.size, 0);
    assert.deepEqual(notifiedEvents(registry).at(-1), ['DELETED', 'service_brokers', '*']);
    assert.equal((await registry.readSecret(namespace, 'mine'))?.['username'], 'admin', 'it is not ours');
  });
});

describe('a registration that was begun', () => {
  const begin = async (world: TestBrokerActions, url: string) => {
    const resource = { type: 'create', resourceType: '/v1/service_brokers', resourceId: 'pg' } as const;
    const { id, write } = newOperation({
      registry: world.registry,
      ...resource,
      tenant: namespace,
      state: 'in progress',
    });
    const broker = await world.actions.brokers.begin(registrationOf({ url }, { id: 'pg' }), [write]);
    assert.equal(broker.status.ready, false);
    return id;
  };
  const ended = async ({ registry }: TestBrokerActions, id: string) =>
    (await registry.operations.until(id, row => row?.status.state !== 'in progress', AbortSignal.timeout(20_000)))
      ?.status;

  test('is continued, and its operation ends', async () => {
    await using world = await startBrokerActions();
    await using scripted = await startScriptedBroker();
    const id = await begin(world, scripted.url);
    await using _controller = startController(world);
    assert.equal((await ended(world, id))?.state, 'succeeded');
    assert.equal(world.registry.brokers.get('pg')?.status.ready, true);
  });

  test('that fails leaves the broker as it is, and the operation says why', async () => {
    await using world = await startBrokerActions();
    await using scripted = await startScriptedBroker();
    await scripted.stop();
    const id = await begin(world, scripted.url);
    await using _controller = startController(world);
    const { state, errors, httpStatus, retryable } = (await ended(world, id)) ?? {};
    assert.deepEqual([state, errors?.['error'], httpStatus, retryable], ['failed', 'ServiceBrokerErr', 502, true]);
    assert.equal(world.registry.brokers.get('pg')?.status.ready, false);
  });
});

test('catalogs are fetched again after the interval', async () => {
  await using world = await startBrokerActions();
  await using scripted = await startScriptedBroker();
  await world.actions.brokers.register(registrationOf(scripted));
  await using _controller = startController(world, { catalogIntervalMs: 20 });
  await eventually(() => scripted.requests.length >= 3, { what: 'two more fetches' });
});

test('an internal broker is asked when it says that its catalog has changed', async () => {
  let plans = [{ id: 'p1', name: 'one', description: 'd' }];
  let changed = () => {};
  const source = {
    catalog: async () => [{ id: 's', name: 'fleet', description: 'd', isBindable: true, plans }],
    onCatalogChange: (listener: () => void) => {
      changed = listener;
      return () => {};
    },
  } as unknown as InternalBroker;
  const internalBrokers = new Map([['fleet', source]]);
  await using world = await startBrokerActions({ internalBrokers });
  await using _controller = startController(world, { internalBrokers });
  const kind = brokerKinds.brokers;
  await world.client.create({ ...kind.ref, namespace }, kind.object({ name: 'pg', namespace }, { internal: 'fleet' }));
  await ready(world);
  assert.equal(world.registry.plans.size, 1);
  plans = [...plans, { id: 'p2', name: 'two', description: 'd' }];
  changed();
  await eventually(() => world.registry.plans.size === 2, { what: 'the new plan' });
});

describe('a visibility', () => {
  const make = ({ client }: TestBrokerActions, planId: string, platformId: string) => {
    const kind = brokerKinds.visibilities;
    const metadata = { name: 'v', namespace, finalizers: [brokersFinalizer] };
    return client.create({ ...kind.ref, namespace }, kind.object(metadata, { planId, platformId }));
  };

  test('created, changed and deleted by kubectl notifies platforms', async () => {
    await using world = await startBrokerActions();
    await using scripted = await startScriptedBroker();
    const { registry, client } = world;
    for (const id of ['k1', 'k2']) await seedPlatform(registry, { id });
    await world.actions.brokers.register(registrationOf(scripted));
    const planId = [...registry.plans.all()][0]?.id ?? '';
    await using _controller = startController(world);
    await make(world, planId, 'k1');
    await eventually(() => registry.visibilities.get('v')?.status.ready === true, { what: 'the visibility' });
    await client.patch(refOf('visibilities', 'v'), { type: 'merge', body: { spec: { platformId: 'k2' } } });
    await eventually(() => notifiedEvents(registry).length === 4, { what: 'notifications' });
    await client.delete(refOf('visibilities', 'v'));
    await eventually(() => registry.visibilities.size === 0, { what: 'the visibility to go' });
    assert.deepEqual(notifiedEvents(registry).slice(1), [
      ['CREATED', 'visibilities', 'k1'],
      ['DELETED', 'visibilities', 'k1'],
      ['CREATED', 'visibilities', 'k2'],
      ['DELETED', 'visibilities', 'k2'],
    ]);
  });

  test('of a plan that is not there says so', async () => {
    await using world = await startBrokerActions();
    await using _controller = startController(world);
    await make(world, 'nothing', '');
    const reason = () => world.registry.visibilities.get('v')?.status.conditions?.[0]?.reason;
    await eventually(() => reason() === 'PlanNotFound', { what: 'a condition' });
    assert.notEqual(world.registry.visibilities.get('v')?.status.ready, true);
  });
});
