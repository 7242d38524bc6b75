import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  seedBinding,
  seedBroker,
  seedInstance,
  seedOperation,
  seedPlatform,
  seedRow,
  seedVisibility,
} from '../../test-registry.ts';
import { type Answer, startTestRest, type TestRest } from './test-rest.ts';

let rest: TestRest;
before(async () => {
  rest = await startTestRest();
  const { registry } = rest;
  await seedPlatform(registry, { id: 'k8s', tenant: 'a' });
  await seedPlatform(registry, { id: 'cf', spec: { type: 'cloudfoundry' } });
  await seedPlatform(registry, { id: 'other', tenant: 'b' });
  const open = await seedBroker(registry, { id: 'open' });
  await seedBroker(registry, { id: 'of-b', tenant: 'b' });
  await seedRow(registry, 'plans', {
    id: 'k8s-only',
    spec: {
      brokerId: 'open',
      offeringId: open.offerings[0]?.id ?? '',
      catalogId: 'k',
      catalogName: 'k',
      name: 'k',
      metadata: { supportedPlatforms: ['kubernetes'] },
    },
  });
  await seedVisibility(registry, { id: 'own', spec: { planId: open.plans[0]?.id ?? '', platformId: 'k8s' } });
  await seedVisibility(registry, { id: 'foreign', spec: { planId: open.plans[1]?.id ?? '', platformId: 'other' } });
  await seedInstance(registry, { id: 'mine', tenant: 'a', spec: { platformId: 'k8s' } });
  await seedInstance(registry, { id: 'theirs', tenant: 'b', spec: { platformId: 'other' } });
  await seedBinding(registry, { id: 'my-binding', tenant: 'a', spec: { instanceId: 'mine' } });
  await seedBinding(registry, { id: 'their-binding', tenant: 'b', spec: { instanceId: 'theirs' } });
  await seedOperation(registry, { id: 'op', tenant: 'b', spec: { resourceId: 'theirs' } });
});
after(() => rest[Symbol.asyncDispose]());

const idsOf = ({ body }: Answer) => (body['items'] as { id: string }[]).map(({ id }) => id).sort();
const list = async (path: string, as: string) => idsOf(await rest.ask('GET', path, { as }));

test('a platform sees itself, what it may use, its own instances and bindings', async () => {
  const as = 'platform k8s';
  assert.deepEqual(await list('/v1/platforms', as), ['k8s']);
  assert.deepEqual(await list('/v1/service_brokers', as), ['open']);
  assert.equal((await list('/v1/service_offerings', as)).length, 1);
  assert.equal((await list('/v1/service_plans', as)).length, 1);
  assert.deepEqual(await list('/v1/visibilities', as), ['own']);
  assert.deepEqual(await list('/v1/service_instances', as), ['mine']);
  assert.deepEqual(await list('/v1/service_bindings', as), ['my-binding']);
});

test('a Cloud Foundry sees all plans that support it', async () => {
  const plans = await list('/v1/service_plans', 'platform cf');
  assert.equal(plans.length, 2);
  assert.ok(!plans.includes('k8s-only'));
});

const foreign = [
  '/v1/platforms/other',
  '/v1/service_brokers/of-b',
  '/v1/visibilities/foreign',
  '/v1/service_instances/theirs',
  '/v1/service_bindings/their-binding',
];
for (const path of foreign) {
  test(`GET ${path} is 404 for another platform, also by a query`, async () => {
    assert.equal((await rest.ask('GET', path, { as: 'platform k8s' })).status, 404);
    const [, , type, id] = path.split('/');
    assert.deepEqual(await list(`/v1/${type}?fieldQuery=id eq '${id}'`, 'platform k8s'), []);
    assert.equal((await rest.ask('GET', path)).status, 200);
  });
}

const closedToPlatforms: readonly [method: string, path: string][] = [
  ['POST', '/v1/platforms'],
  ['PATCH', '/v1/platforms/k8s'],
  ['DELETE', '/v1/platforms/k8s'],
  ['DELETE', '/v1/service_instances/mine'],
  ['GET', '/v1/operations'],
  ['GET', '/v1/operations/op'],
  ['GET', '/v1/service_instances/mine/parameters'],
  ['GET', '/v1/service_instances/mine/operations/op'],
  ['POST', '/v1/operations/op/retry'],
  ['GET', '/v1/config'],
  ['GET', '/v1/config/logging'],
  ['GET', '/v1/tenants/a/operations/op'],
];
for (const [method, path] of closedToPlatforms) {
  test(`${method} ${path} is 401 for a platform`, async () => {
    assert.equal((await rest.ask(method, path, { as: 'platform k8s' })).status, 401);
  });
}

test('every route but the public ones wants to know who asks', async () => {
  const { body } = await rest.ask('GET', '/openapi/service-manager.json', { as: '' });
  const open: string[] = [];
  for (const [path, item] of Object.entries(body['paths'] as Record<string, object>)) {
    if (path.startsWith('/v1/osb') || path === '/v1/notifications') continue;
    for (const method of Object.keys(item)) {
      const address = path.replace(/\{\w+\}/g, 'x');
      for (const as of ['', 'nobody']) {
        const { status, headers } = await rest.ask(method.toUpperCase(), address, { as });
        if (status === 401) assert.match(headers.get('www-authenticate') ?? '', /^Basic/);
        else open.push(`${method} ${path}`);
      }
    }
  }
  assert.deepEqual([...new Set(open)], ['get /v1/info', 'get /v1/agents/versions', 'get /v1/monitor/health']);
});

test('credentials of brokers are for platforms alone', async () => {
  assert.equal((await rest.ask('PUT', '/v1/credentials', { body: {}, as: 'platform k8s' })).status, 400);
  assert.equal((await rest.ask('PUT', '/v1/credentials', { body: {} })).status, 401);
  assert.equal((await rest.ask('PUT', '/v1/credentials/x/activate', { body: {}, as: 'user all@a' })).status, 401);
});

test('a user sees their tenants and the catalogue of the landscape', async () => {
  const as = 'user list@a,get@a';
  assert.deepEqual(await list('/v1/platforms', as), ['k8s']);
  assert.deepEqual(await list('/v1/service_brokers', as), ['open']);
  assert.deepEqual(await list('/v1/service_instances', as), ['mine']);
  assert.deepEqual(await list('/v1/operations', as), []);
  assert.equal((await rest.ask('GET', '/v1/service_brokers/open', { as })).status, 200);
  assert.equal((await rest.ask('GET', '/v1/service_brokers/of-b', { as })).status, 404);
  assert.equal((await rest.ask('GET', '/v1/service_instances/theirs', { as })).status, 404);
  assert.equal((await rest.ask('GET', '/v1/service_instances/theirs/operations/op', { as })).status, 404);
  assert.equal((await rest.ask('GET', '/v1/operations/op', { as })).status, 404);
  assert.equal((await rest.ask('POST', '/v1/operations/op/retry', { as })).status, 404);
});

test('a user changes only what they may', async () => {
  const as = 'user list@a,get@a';
  assert.equal((await rest.ask('PATCH', '/v1/platforms/k8s', { as, body: {} })).status, 403);
  assert.equal((await rest.ask('DELETE', '/v1/platforms/k8s', { as })).status, 403);
  assert.equal((await rest.ask('PATCH', '/v1/service_brokers/open', { as: 'user all@a', body: {} })).status, 403);
  assert.equal((await rest.ask('PATCH', '/v1/platforms/other', { as, body: {} })).status, 404);
  assert.equal((await rest.ask('PATCH', '/v1/platforms/k8s', { as: 'user all@a', body: {} })).status, 200);
  assert.equal((await rest.ask('DELETE', "/v1/platforms?fieldQuery=id eq 'k8s'", { as })).status, 404);
  assert.equal((await rest.ask('GET', '/v1/config', { as })).status, 403);
});

test('a user creates in the tenant that they name, or in their only one', async () => {
  const body = (name: string) => ({ name, type: 'x' });
  const only = await rest.ask('POST', '/v1/platforms', { as: 'user all@a', body: body('one') });
  assert.equal(rest.registry.platforms.get(only.body['id'] as string)?.tenant, 'a');
  const both = 'user all@a,all@b';
  const which = await rest.ask('POST', '/v1/platforms', { as: both, body: body('two') });
  assert.deepEqual([which.status, which.body['error'], which.body['ids']], [400, 'BadRequest', ['a', 'b']]);
  const headers = { 'x-chandlery-tenant': 'b' };
  const named = await rest.ask('POST', '/v1/platforms', { as: both, headers, body: body('two') });
  assert.equal(rest.registry.platforms.get(named.body['id'] as string)?.tenant, 'b');
  assert.equal((await rest.ask('POST', '/v1/platforms', { as: 'user all@a', headers, body: body('x') })).status, 403);
  assert.equal((await rest.ask('POST', '/v1/platforms', { as: 'user list@a', body: body('x') })).status, 403);
});

test('a tenant that is not there is rejected', async () => {
  const answer = await rest.ask('POST', '/v1/platforms?tenant=nowhere', { body: { name: 'n', type: 'x' } });
  assert.deepEqual([answer.status, answer.body['description']], [400, 'there is no tenant "nowhere"']);
});

test('an operator narrows a list to a tenant', async () => {
  assert.deepEqual(await list('/v1/service_instances?tenant=a', 'operator'), ['mine']);
  assert.deepEqual(await list('/v1/service_instances', 'operator'), ['mine', 'theirs']);
});

test('live parameters are not asynchronous, and instances are not deleted by the dozen', async () => {
  const later = await rest.ask('GET', '/v1/service_instances/mine/parameters?async=true');
  assert.deepEqual([later.status, later.body['error']], [400, 'InvalidRequest']);
  assert.equal((await rest.ask('DELETE', '/v1/service_instances')).status, 405);
});

test('a user lists the plans that can be ordered here, an operator all of them', async () => {
  const { registry } = rest;
  const [opened] = [...registry.plans.by('brokerId', 'open')];
  await seedVisibility(registry, {
    id: 'own-platform',
    spec: { planId: opened?.id ?? '', platformId: 'service-manager' },
  });
  const path = '/v1/service_plans?orderable=true';
  assert.deepEqual(await list(path, 'user all@a'), [opened?.id]);
  assert.deepEqual(await list(path, 'user list@a,get@a'), []);
  assert.deepEqual(await list(`${path}&tenant=a`, 'user all@a,all@b'), [opened?.id], "the landscape's, for one of two");
  assert.deepEqual(await list(`${path}&tenant=a`, 'user all@b'), []);
  assert.deepEqual(await list(path, 'operator'), await list('/v1/service_plans', 'operator'));
});

test('lists without a query leave out what the landscape has made, and a query finds it', async () => {
  const { registry } = rest;
  const broker = { id: 'landscape-fleet', spec: { internal: 'fleet', name: 'landscape-fleet' } };
  await seedRow(registry, 'brokers', { ...broker, status: { ready: true } });
  await seedVisibility(registry, { id: 'landscape-v', spec: { planId: 'k8s-only', platformId: 'service-manager' } });
  for (const [type, id] of [
    ['service_brokers', 'landscape-fleet'],
    ['visibilities', 'landscape-v'],
  ] as const) {
    assert.equal((await list(`/v1/${type}`, 'operator')).includes(id), false);
    assert.deepEqual(await list(`/v1/${type}?fieldQuery=id eq '${id}'`, 'operator'), [id]);
    assert.equal((await rest.ask('GET', `/v1/${type}/${id}`, { as: 'operator' })).status, 200);
  }
  const body = { id: 'landscape-mine', name: 'mine', internal: 'fleet' };
  assert.equal((await rest.ask('POST', '/v1/service_brokers', { as: 'operator', body })).status, 400);
});
