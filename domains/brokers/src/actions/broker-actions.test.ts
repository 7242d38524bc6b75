import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import { SmError } from '../errors.ts';
import { rawCatalog, rawOffering, rawPlan } from '../model/catalog/test-catalog.ts';
import { newOperation } from '../model/operations/new-operation.ts';
import type { BrokerCatalog } from '../test-broker/default-catalog.ts';
import { type ScriptedBroker, startScriptedBroker } from '../test-broker/scripted-broker.ts';
import { seedInstance, seedPlatform, seedRow, seedTenant } from '../test-registry.ts';
import { lastPayload, notifiedEvents, registrationOf, startBrokerActions } from './test-broker-actions.ts';

const catalogOf = (...services: JsonObject[]) => rawCatalog(...services) as unknown as BrokerCatalog;
const cfOnly = { metadata: { supportedPlatforms: ['cloudfoundry'] } };
const smError = (code: string, status: number) => (error: unknown) =>
  error instanceof SmError && error.code === code && error.status === status;

const operation = (registry: Parameters<typeof newOperation>[0]['registry'], resourceId: string) =>
  newOperation({
    registry,
    type: 'create',
    resourceType: '/v1/service_brokers',
    resourceId,
    tenant: 'service-manager',
    state: 'in progress',
  });

describe('registering a broker', () => {
  test('makes the broker, what it offers, its Secret, the notification and the operation in one commit', async () => {
    await using world = await startBrokerActions();
    await using scripted = await startScriptedBroker();
    const { registry, actions } = world;
    await seedPlatform(registry, { id: 'k8s' });
    const { write } = operation(registry, 'b');
    const broker = await actions.brokers.register(registrationOf(scripted, { id: 'b' }), [write]);
    assert.equal(broker.status.ready, true);
    assert.equal(broker.status.apiVersion, '2.17');
    assert.equal(broker.status.observedGeneration, broker.generation);
    assert.deepEqual(
      broker.status.conditions?.map(({ type, status }) => [type, status]),
      [
        ['Ready', 'True'],
        ['Synced', 'True'],
      ],
    );
    assert.equal(registry.offerings.size, 2);
    assert.equal(registry.plans.size, 9, 'eight plans and one reference plan');
    assert.deepEqual(await registry.readSecret('service-manager', 'broker-b'), {
      username: 'admin',
      password: 'broker-password',
    });
    assert.equal(registry.operations.size, 1);
    assert.deepEqual(notifiedEvents(registry), [['CREATED', 'service_brokers', '*']]);
    assert.doesNotMatch(JSON.stringify([broker, lastPayload(registry)]), /broker-password/);
    const { requests } = scripted;
    assert.equal(requests[0]?.headers['x-correlation-id'], 'c-1');
    const additional = lastPayload(registry)['new']?.['additional'] as {
      services: { name: string; plans: unknown[] }[];
    };
    assert.deepEqual(
      additional.services.map(({ name, plans }) => [name, plans.length]),
      [
        ['database', 6],
        ['queue', 3],
      ],
    );
  });

  const failures: readonly {
    why: string;
    prepare: (broker: ScriptedBroker) => unknown;
    code: string;
    status: number;
  }[] = [
    { why: 'is unreachable', prepare: broker => broker.stop(), code: 'ServiceBrokerErr', status: 502 },
    {
      why: 'hangs up',
      prepare: broker => broker.misbehave({ type: 'drop' }, { times: 9 }),
      code: 'ServiceBrokerErr',
      status: 502,
    },
    {
      why: 'does not answer',
      prepare: broker => broker.misbehave({ type: 'hang' }),
      code: 'ServiceBrokerErr',
      status: 504,
    },
    {
      why: 'answers 500',
      prepare: broker => broker.misbehave({ type: 'answer', status: 500, body: 'secret text' }),
      code: 'BadRequest',
      status: 400,
    },
    { why: 'refuses the credentials', prepare: broker => broker.accept(), code: 'BadRequest', status: 400 },
    {
      why: 'answers garbage',
      prepare: broker => broker.misbehave({ type: 'answer', status: 200, body: '<html>' }),
      code: 'BadRequest',
      status: 400,
    },
    {
      why: 'has an invalid catalog',
      prepare: broker => broker.setCatalog(catalogOf(rawOffering('o', []))),
      code: 'BadRequest',
      status: 400,
    },
    {
      why: 'has too large a catalog',
      prepare: broker => broker.setCatalog(catalogOf(rawOffering('o', [rawPlan('p', { x: 'y'.repeat(1_400_000) })]))),
      code: 'BadRequest',
      status: 400,
    },
  ];
  for (const { why, prepare, code, status } of failures) {
    test(`leaves nothing behind when the broker ${why}: ${status} ${code}`, async () => {
      await using world = await startBrokerActions();
      await using scripted = await startScriptedBroker();
      const { registry, actions } = world;
      await prepare(scripted);
      const registration = registrationOf(scripted, { id: 'b', limits: { timeoutMs: 300 } });
      await assert.rejects(actions.brokers.register(registration), error => {
        assert.doesNotMatch(String(error), /secret text|broker-password/);
        return smError(code, status)(error);
      });
      assert.deepEqual([registry.brokers.size, registry.offerings.size, registry.notifications.size], [0, 0, 0]);
      assert.equal(await registry.readSecret('service-manager', 'broker-b'), undefined);
    });
  }

  test('goes down with the version until the broker accepts one, and keeps that', async () => {
    await using world = await startBrokerActions();
    await using scripted = await startScriptedBroker();
    scripted.misbehave({ type: 'answer', status: 412, body: {} }, { times: 3 });
    const broker = await world.actions.brokers.register(registrationOf(scripted));
    assert.equal(broker.status.apiVersion, '2.14');
    assert.deepEqual(
      scripted.requests.map(({ headers }) => headers['x-broker-api-version']),
      ['2.17', '2.16', '2.15', '2.14'],
    );
  });

  test('tries no other version when one is fixed', async () => {
    await using world = await startBrokerActions();
    await using scripted = await startScriptedBroker();
    scripted.misbehave({ type: 'answer', status: 412, body: {} });
    const registration = registrationOf(scripted, { apiVersion: '2.13' });
    await assert.rejects(world.actions.brokers.register(registration), smError('BadRequest', 400));
    assert.deepEqual(
      scripted.requests.map(({ headers }) => headers['x-broker-api-version']),
      ['2.13'],
    );
  });

  test('rejects a name that is taken in the tenant, and names the holder, but not in another tenant', async () => {
    await using world = await startBrokerActions();
    await using scripted = await startScriptedBroker();
    const { brokers } = world.actions;
    await seedTenant(world.client, 'acme');
    const { id } = await brokers.register(registrationOf(scripted));
    await assert.rejects(
      brokers.register(registrationOf(scripted)),
      error => smError('Conflict', 409)(error) && (error as SmError).facts.ids?.[0] === id,
    );
    await assert.rejects(brokers.register(registrationOf(scripted, { id, name: 'x' })), smError('Conflict', 409));
    assert.equal((await brokers.register(registrationOf(scripted, { tenant: 'acme' }))).spec.name, 'pg');
  });

  test('of two at once with one name, one is rejected', async () => {
    await using world = await startBrokerActions();
    await using scripted = await startScriptedBroker();
    const { brokers } = world.actions;
    const outcomes = await Promise.allSettled([1, 2].map(() => brokers.register(registrationOf(scripted))));
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    const rejected = outcomes.find(outcome => outcome.status === 'rejected');
    assert.ok(smError('Conflict', 409)(rejected?.reason));
    assert.equal(world.registry.brokers.size, 1);
  });

  test('notifies the platforms that a plan supports, for a tenant only its own', async () => {
    await using world = await startBrokerActions();
    await using scripted = await startScriptedBroker({ catalog: catalogOf(rawOffering('o', [rawPlan('p', cfOnly)])) });
    const { registry, actions } = world;
    await seedTenant(world.client, 'acme');
    await seedPlatform(registry, { id: 'k8s' });
    await seedPlatform(registry, { id: 'cf', spec: { type: 'cloudfoundry' } });
    await seedPlatform(registry, { id: 'tech', spec: { type: 'cloudfoundry', technical: true } });
    await seedPlatform(registry, { id: 'acme-cf', tenant: 'acme', spec: { type: 'cloudfoundry' } });
    await actions.brokers.register(registrationOf(scripted));
    await actions.brokers.register(registrationOf(scripted, { tenant: 'acme' }));
    assert.deepEqual(notifiedEvents(registry), [
      ['CREATED', 'service_brokers', 'acme-cf,cf'],
      ['CREATED', 'service_brokers', 'acme-cf'],
    ]);
  });

  test('keeps what the broker said of itself word for word', async () => {
    await using world = await startBrokerActions();
    const services = [
      rawOffering('o', [
        rawPlan('p', { schemas: { service_instance: { create: { parameters: null } } }, nothing: null }),
      ]),
    ];
    await using scripted = await startScriptedBroker({
      catalog: { ...catalogOf(...services), vendor: [1, null] } as never,
    });
    const broker = await world.actions.brokers.register(registrationOf(scripted));
    assert.deepEqual(broker.status.catalog, { services, vendor: [1, null] });
  });
});

describe('updating a broker', () => {
  test('fetches the catalog whatever changed, and notifies no platform without a difference', async () => {
    await using world = await startBrokerActions();
    await using scripted = await startScriptedBroker();
    const { registry, actions } = world;
    await seedPlatform(registry);
    const broker = await actions.brokers.register(registrationOf(scripted));
    const after = await actions.brokers.update(broker, { correlationId: 'c-2' });
    assert.equal(scripted.requests.length, 2);
    assert.equal(after.generation, broker.generation);
    assert.equal(after.status.observedGeneration, after.generation);
    assert.equal(notifiedEvents(registry).length, 1);
  });

  test('notifies platforms of the old and new state, with label changes', async () => {
    await using world = await startBrokerActions();
    await using scripted = await startScriptedBroker();
    const { registry, actions } = world;
    await seedPlatform(registry);
    const broker = await actions.brokers.register(registrationOf(scripted, { labels: { a: ['1', '2'], b: ['x'] } }));
    const after = await actions.brokers.update(broker, {
      name: 'new',
      labels: { a: ['2', '3'] },
      correlationId: 'c-2',
    });
    assert.equal(after.generation, 2);
    assert.equal(after.status.observedGeneration, 2);
    assert.deepEqual(notifiedEvents(registry).at(-1), ['MODIFIED', 'service_brokers', '*']);
    const payload = lastPayload(registry);
    assert.equal((payload['old']?.['resource'] as JsonObject)['name'], 'pg');
    assert.equal((payload['new']?.['resource'] as JsonObject)['name'], 'new');
    assert.deepEqual(payload['label_changes'], [
      { op: 'add', key: 'a', values: ['3'] },
      { op: 'remove_values', key: 'a', values: ['1'] },
      { op: 'remove_values', key: 'b', values: ['x'] },
    ]);
  });

  test('platforms that a new catalog supports receive CREATED alone, those that it drops DELETED and lose their credentials', async () => {
    await using world = await startBrokerActions();
    await using scripted = await startScriptedBroker({ catalog: catalogOf(rawOffering('o', [rawPlan('p', cfOnly)])) });
    const { registry, actions } = world;
    await seedPlatform(registry, { id: 'k8s' });
    await seedPlatform(registry, { id: 'cf', spec: { type: 'cloudfoundry' } });
    const broker = await actions.brokers.register(registrationOf(scripted));
    const credential = { platformId: 'cf', brokerId: broker.id, username: 'u', passwordHash: 'h' };
    await seedRow(registry, 'credentials', { spec: credential });
    scripted.setCatalog(
      catalogOf(rawOffering('o', [rawPlan('p', { metadata: { supportedPlatforms: ['kubernetes'] } })])),
    );
    await actions.brokers.update(broker, { correlationId: 'c-2' });
    assert.deepEqual(notifiedEvents(registry).slice(1), [
      ['CREATED', 'service_brokers', 'k8s'],
      ['DELETED', 'service_brokers', 'cf'],
    ]);
    assert.equal(registry.credentials.size, 0);
  });

  test('a change of an unknown field of the catalog notifies platforms too', async () => {
    await using world = await startBrokerActions();
    await using scripted = await startScriptedBroker({ catalog: catalogOf(rawOffering('o', [rawPlan('p')])) });
    const { registry, actions } = world;
    await seedPlatform(registry);
    const broker = await actions.brokers.register(registrationOf(scripted));
    scripted.setCatalog(catalogOf(rawOffering('o', [rawPlan('p', { vendor: 1 })])));
    await actions.brokers.update(broker, { correlationId: 'c-2' });
    assert.equal(notifiedEvents(registry).at(-1)?.[0], 'MODIFIED');
  });

  test('another URL needs credentials, and new ones are tried before they are kept', async () => {
    await using world = await startBrokerActions();
    await using scripted = await startScriptedBroker();
    const { registry, actions } = world;
    const broker = await actions.brokers.register(registrationOf(scripted));
    const url = `${scripted.url}/`;
    await assert.rejects(actions.brokers.update(broker, { url, correlationId: 'c' }), smError('BadRequest', 400));
    const wrong = { username: 'admin', password: 'wrong' };
    await assert.rejects(
      actions.brokers.update(broker, { credentials: wrong, correlationId: 'c' }),
      smError('BadRequest', 400),
    );
    const secret = () => registry.readSecret('service-manager', `broker-${broker.id}`);
    assert.equal((await secret())?.['password'], 'broker-password');
    scripted.accept({ type: 'bearer', token: 'fresh' });
    await actions.brokers.update(broker, { credentials: { token: 'fresh' }, correlationId: 'c' });
    assert.deepEqual(await secret(), { token: 'fresh' });
  });

  test('a name may pass from a plan that goes to one that comes', async () => {
    await using world = await startBrokerActions();
    await using scripted = await startScriptedBroker({
      catalog: catalogOf(rawOffering('o', [rawPlan('old', { name: 'n' })])),
    });
    const { registry, actions } = world;
    const broker = await actions.brokers.register(registrationOf(scripted));
    scripted.setCatalog(catalogOf(rawOffering('o2', [rawPlan('new', { name: 'n' })], { name: 'name-of-o' })));
    await actions.brokers.update(broker, { correlationId: 'c' });
    assert.deepEqual(
      [...registry.plans.all()].map(({ spec }) => spec.catalogId),
      ['new'],
    );
    scripted.setCatalog(catalogOf(rawOffering('o2', [rawPlan('newer', { name: 'n' }), rawPlan('new', { name: 'm' })])));
    await actions.brokers.update(broker, { correlationId: 'c' });
    assert.equal(registry.plans.size, 2);
  });

  test('a plan with instances that is missing in the new catalog rejects the whole change', async () => {
    await using world = await startBrokerActions();
    const both = catalogOf(rawOffering('o', [rawPlan('p'), rawPlan('q')]));
    await using scripted = await startScriptedBroker({ catalog: both });
    const { registry, actions } = world;
    const broker = await actions.brokers.register(registrationOf(scripted));
    const plan = [...registry.plans.by('catalogId', 'q')][0];
    await seedInstance(registry, { spec: { planId: plan?.id ?? '' } });
    scripted.setCatalog(catalogOf(rawOffering('o', [rawPlan('p')])));
    await assert.rejects(
      actions.brokers.update(broker, { name: 'renamed', correlationId: 'c' }),
      smError('ExistingReferenceEntity', 409),
    );
    assert.equal(registry.brokers.get(broker.id)?.spec.name, 'pg');
    assert.equal(registry.plans.size, 2);
  });

  test('two updates at once both come into force', async () => {
    await using world = await startBrokerActions();
    await using scripted = await startScriptedBroker();
    const { brokers } = world.actions;
    const broker = await brokers.register(registrationOf(scripted, { labels: { a: ['0'] } }));
    const add = (value: string) => (current: Readonly<Record<string, readonly string[]>>) => ({
      a: [...(current['a'] ?? []), value],
    });
    await Promise.all([
      brokers.update(broker, { labels: add('1'), correlationId: 'c' }),
      brokers.update(broker, { labels: add('2'), description: 'd', correlationId: 'c' }),
    ]);
    const { labels, description } = world.registry.brokers.get(broker.id)?.spec ?? {};
    assert.deepEqual(labels?.['a']?.toSorted(), ['0', '1', '2']);
    assert.equal(description, 'd');
    assert.equal((await brokers.update(broker, { description: null, correlationId: 'c' })).spec.description, undefined);
  });
});

describe('removing a broker', () => {
  test('removes all dependants and notifies platforms', async () => {
    await using world = await startBrokerActions();
    await using scripted = await startScriptedBroker();
    const { registry, actions } = world;
    await seedPlatform(registry, { id: 'k8s' });
    const broker = await actions.brokers.register(registrationOf(scripted));
    for (const plan of registry.plans.all())
      await actions.visibilities.create({ tenant: 'service-manager', planId: plan.id });
    const credential = { platformId: 'k8s', brokerId: broker.id, username: 'u', passwordHash: 'h' };
    await seedRow(registry, 'credentials', { spec: credential });
    await actions.brokers.remove(broker);
    const { brokers, offerings, plans, visibilities, credentials } = registry;
    assert.deepEqual(
      [brokers, offerings, plans, visibilities, credentials].map(({ size }) => size),
      [0, 0, 0, 0, 0],
    );
    assert.equal(await registry.readSecret('service-manager', `broker-${broker.id}`), undefined);
    assert.deepEqual(notifiedEvents(registry).at(-1), ['DELETED', 'service_brokers', '*']);
    assert.deepEqual(Object.keys(lastPayload(registry)), ['old']);
  });

  test('is rejected while an instance is there, and changes nothing', async () => {
    await using world = await startBrokerActions();
    await using scripted = await startScriptedBroker();
    const { registry, actions } = world;
    const broker = await actions.brokers.register(registrationOf(scripted));
    const instance = await seedInstance(registry, { spec: { planId: [...registry.plans.all()][0]?.id ?? '' } });
    await assert.rejects(
      actions.brokers.remove(broker),
      error => smError('ExistingReferenceEntity', 409)(error) && (error as SmError).facts.ids?.[0] === instance.id,
    );
    assert.equal(registry.offerings.size, 2);
  });

  test('of a deleted broker is NotFound', async () => {
    await using world = await startBrokerActions();
    await using scripted = await startScriptedBroker();
    const broker = await world.actions.brokers.register(registrationOf(scripted));
    await world.actions.brokers.remove(broker);
    await assert.rejects(world.actions.brokers.remove(broker), smError('NotFound', 404));
  });
});
