import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { globalTenant } from '../../kinds/index.ts';
import { seedBroker, seedOperation } from '../../test-registry.ts';
import { type Ask, idsOf, provisionBody, seedCaller, startTestOsb, type TestOsb } from './test-osb.ts';

let world: TestOsb;
before(async () => {
  world = await startTestOsb();
  const { registry } = world;
  await seedBroker(registry, { id: 'acme-broker', tenant: 'acme' });
  await seedCaller(registry, { id: 'suspended', spec: { suspended: true } });
  await seedCaller(registry, { id: 'ending' });
  await seedOperation(registry, {
    spec: { type: 'delete', resourceType: '/v1/platforms', resourceId: 'ending', cascadeRootId: 'root' },
  });
  await world.ask('PUT', '/service_instances/mine', { body: provisionBody() });
  const body = { service_id: 'database-id', plan_id: 'database-sync' };
  await world.ask('PUT', '/service_instances/mine/service_bindings/my-binding', { body });
});
after(() => world[Symbol.asyncDispose]());

const wrong = `Basic ${Buffer.from('k8s:wrong').toString('base64')}`;
const instance = '/service_instances/new';

interface Row {
  readonly why: string;
  readonly method?: string;
  readonly path?: string;
  readonly ask?: Ask;
  readonly status: number;
  readonly error: string;
}

const rows: readonly Row[] = [
  { why: 'no credentials', ask: { headers: { authorization: undefined } }, status: 401, error: 'Unauthorized' },
  { why: 'wrong credentials', ask: { headers: { authorization: wrong } }, status: 401, error: 'Unauthorized' },
  {
    why: 'wrong credentials before a wrong version',
    ask: { headers: { authorization: wrong, 'x-broker-api-version': undefined } },
    status: 401,
    error: 'Unauthorized',
  },
  {
    why: 'unknown credentials at adapt_credentials',
    method: 'POST',
    path: `${instance}/service_bindings/b/adapt_credentials`,
    ask: { headers: { authorization: undefined } },
    status: 401,
    error: 'Unauthorized',
  },
  {
    why: 'no version',
    ask: { headers: { 'x-broker-api-version': undefined } },
    status: 412,
    error: 'PreconditionFailed',
  },
  { why: 'version 1', ask: { headers: { 'x-broker-api-version': '1.0' } }, status: 412, error: 'PreconditionFailed' },
  {
    why: 'version 2 of something else',
    ask: { headers: { 'x-broker-api-version': '2.x' } },
    status: 412,
    error: 'PreconditionFailed',
  },
  { why: 'an unknown path', path: '/nothing', status: 404, error: 'NotFound' },
  { why: 'a method that is not there', method: 'POST', path: instance, status: 405, error: 'MethodNotAllowed' },
  { why: 'an id that is badly encoded', path: '/service_instances/%zz', status: 400, error: 'BadRequest' },
  { why: 'an unknown broker', ask: { broker: 'nobody' }, status: 404, error: 'NotFound' },
  { why: "another tenant's broker", ask: { broker: 'acme-broker' }, status: 404, error: 'NotFound' },
  {
    why: 'a suspended platform that makes something',
    method: 'PUT',
    path: instance,
    ask: { platform: 'suspended', body: provisionBody() },
    status: 400,
    error: 'BadRequest',
  },
  {
    why: 'a platform that is being deleted and makes something',
    method: 'PUT',
    path: instance,
    ask: { platform: 'ending', body: provisionBody() },
    status: 422,
    error: 'UnprocessableEntity',
  },
  { why: 'no JSON', method: 'PUT', path: instance, ask: { body: '{' }, status: 400, error: 'BadRequest' },
  { why: 'a list', method: 'PUT', path: instance, ask: { body: [] }, status: 400, error: 'BadRequest' },
  { why: 'no body', method: 'PUT', path: instance, status: 400, error: 'BadRequest' },
  {
    why: 'a plan named twice, of which the broker might take the other',
    method: 'PUT',
    path: instance,
    ask: { body: '{"service_id":"database-id","plan_id":"hidden","plan_id":"database-sync"}' },
    status: 400,
    error: 'BadRequest',
  },
  {
    why: 'no plan',
    method: 'PUT',
    path: instance,
    ask: { body: { service_id: 'database-id' } },
    status: 400,
    error: 'BadRequest',
  },
  {
    why: 'parameters that are no object',
    method: 'PUT',
    path: instance,
    ask: { body: provisionBody('sync', { parameters: 'all' }) },
    status: 400,
    error: 'BadRequest',
  },
  {
    why: 'a plan of another offering',
    method: 'PUT',
    path: instance,
    ask: { body: provisionBody('sync', { service_id: 'queue-id' }) },
    status: 400,
    error: 'BadRequest',
  },
  {
    why: 'a service that the broker does not have',
    method: 'PUT',
    path: instance,
    ask: { body: provisionBody('sync', { service_id: 'nothing' }) },
    status: 400,
    error: 'BadRequest',
  },
  {
    why: 'a plan that the broker does not have',
    method: 'PUT',
    path: instance,
    ask: { body: provisionBody('nothing') },
    status: 400,
    error: 'BadRequest',
  },
  {
    why: 'a change to a plan that the broker does not have',
    method: 'PATCH',
    path: '/service_instances/mine',
    ask: { body: { service_id: 'database-id', plan_id: 'nothing' } },
    status: 400,
    error: 'BadRequest',
  },
  {
    why: 'a change of a service that the broker does not have',
    method: 'PATCH',
    path: instance,
    ask: { body: { service_id: 'nothing' } },
    status: 400,
    error: 'BadRequest',
  },
  {
    why: 'Cloud Foundry without a context',
    method: 'PUT',
    path: instance,
    ask: { platform: 'cf', body: provisionBody('sync', { context: null }) },
    status: 400,
    error: 'BadRequest',
  },
  {
    why: 'Cloud Foundry without an organization',
    method: 'PUT',
    path: instance,
    ask: { platform: 'cf', body: provisionBody('sync', { context: { platform: 'cloudfoundry' } }) },
    status: 400,
    error: 'BadRequest',
  },
];

describe('a request is rejected for', () => {
  for (const { why, method = 'GET', path = '/catalog', ask = {}, status, error } of rows) {
    test(`${why}: ${status}`, async () => {
      const heard = await world.ask(method, path, ask);
      assert.deepEqual([heard.status, heard.body['error']], [status, error]);
      assert.equal(typeof heard.body['description'], 'string');
    });
  }

  test('a body of more than a megabyte: 413', async () => {
    const body = provisionBody('sync', { parameters: { x: 'x'.repeat(1024 * 1024) } });
    assert.equal((await world.ask('PUT', instance, { body })).status, 413);
  });

  test('nothing of all that has reached the broker', () => {
    assert.deepEqual(
      world.broker.requests.filter(({ url }) => url.includes('/new')),
      [],
    );
  });

  test('the answer says how to do better', async () => {
    const unknown = await world.ask('GET', '/catalog', { headers: { authorization: undefined } });
    assert.match(unknown.headers.get('www-authenticate') ?? '', /^Basic/);
    assert.equal((await world.ask('POST', instance)).headers.get('allow'), 'GET, PUT, PATCH, DELETE');
  });
});

describe('a suspended platform', () => {
  test('may look and delete', async () => {
    assert.equal((await world.ask('GET', '/catalog', { platform: 'suspended' })).status, 200);
    const path = `/service_instances/nothing?${idsOf()}`;
    assert.equal((await world.ask('DELETE', path, { platform: 'suspended' })).status, 410);
  });
});

describe("another platform's instance is not there", () => {
  const binding = '/service_instances/mine/service_bindings/my-binding';
  const calls: readonly { method: string; path: string; body?: object }[] = [
    { method: 'GET', path: '/service_instances/mine' },
    { method: 'PUT', path: '/service_instances/mine', body: provisionBody() },
    { method: 'PATCH', path: '/service_instances/mine', body: { service_id: 'database-id' } },
    { method: 'DELETE', path: `/service_instances/mine?${idsOf()}` },
    { method: 'GET', path: '/service_instances/mine/last_operation' },
    { method: 'GET', path: binding },
    { method: 'PUT', path: binding, body: { service_id: 'database-id', plan_id: 'database-sync' } },
    { method: 'DELETE', path: `${binding}?${idsOf()}` },
    { method: 'GET', path: `${binding}/last_operation` },
    { method: 'POST', path: `${binding}/adapt_credentials`, body: {} },
    { method: 'GET', path: '/service_instances/elsewhere/service_bindings/my-binding' },
  ];
  for (const { method, path, body } of calls) {
    test(`${method} ${path.split('?')[0]}`, async () => {
      const seen = world.broker.requests.length;
      const heard = await world.ask(method, path, { platform: 'other', ...(body && { body }) });
      assert.equal(heard.status, 404);
      assert.equal(world.broker.requests.length, seen, 'the broker was asked');
      assert.notEqual(world.registry.instances.get('mine'), undefined);
    });
  }

  test('a binding id that another of the own instances has is taken', async () => {
    const body = { service_id: 'database-id', plan_id: 'database-sync' };
    const heard = await world.ask('PUT', '/service_instances/elsewhere/service_bindings/my-binding', { body });
    assert.equal(heard.status, 409);
  });
});

describe('the catalog', () => {
  test('comes without asking the broker, and once only where it has not changed', async () => {
    const seen = world.broker.requests.length;
    const first = await world.ask('GET', '/catalog');
    const etag = first.headers.get('etag') as string;
    assert.equal((first.body['services'] as unknown[]).length, 2);
    const again = await world.ask('GET', '/catalog', { headers: { 'if-none-match': etag } });
    assert.deepEqual([again.status, again.text], [304, '']);
    assert.equal(world.broker.requests.length, seen);
  });

  test('of a tenant is shown to its platforms', async () => {
    const own = await world.ask('GET', '/catalog', { broker: 'acme-broker', platform: 'foreign' });
    assert.equal(own.status, 200);
    assert.equal(world.registry.platforms.get('foreign')?.tenant, 'acme');
    assert.notEqual(globalTenant, 'acme');
  });
});

describe('a plan that the platform may not use', () => {
  test('is not found: neither for a new instance nor for a change to it', async () => {
    await using hidden = await startTestOsb();
    const { registry } = hidden;
    const plan = hidden.plan('database-rotatable');
    const [grant] = [...registry.visibilities.by('planId', plan.id)];
    if (grant === undefined) throw new Error('the plan was hidden already');
    await hidden.ask('PUT', '/service_instances/kept', { body: provisionBody('rotatable') });
    await hidden.ask('PUT', '/service_instances/i', { body: provisionBody() });
    await registry.commit([{ type: 'remove', table: 'visibilities', row: grant }]);
    const made = await hidden.ask('PUT', '/service_instances/j', { body: provisionBody('rotatable') });
    assert.deepEqual([made.status, made.body['error']], [404, 'ServicePlanNotFound']);
    const change = { service_id: 'database-id', plan_id: 'database-rotatable' };
    assert.equal((await hidden.ask('PATCH', '/service_instances/i', { body: change })).status, 404);
    assert.equal((await hidden.ask('PATCH', '/service_instances/kept', { body: change })).status, 200, 'a plan kept');
  });
});
