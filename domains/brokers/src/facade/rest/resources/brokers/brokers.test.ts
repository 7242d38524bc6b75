import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import { type ScriptedBroker, startScriptedBroker } from '../../../../test-broker/scripted-broker.ts';
import { seedInstance } from '../../../../test-registry.ts';
import { startTestRest, type TestRest } from '../../test-rest.ts';

let rest: TestRest;
let broker: ScriptedBroker;
before(async () => {
  rest = await startTestRest();
  broker = await startScriptedBroker();
});
after(async () => {
  await broker[Symbol.asyncDispose]();
  await rest[Symbol.asyncDispose]();
});

const credentials = { basic: { username: 'admin', password: 'broker-password' } };
const bodyOf = (name: string, more: JsonObject = {}): JsonObject => ({
  id: name,
  name,
  broker_url: broker.url,
  credentials,
  ...more,
});

test('a broker is registered with its catalog, and its credentials are never shown', async () => {
  const created = await rest.ask('POST', '/v1/service_brokers', { body: bodyOf('pg', { labels: { env: ['dev'] } }) });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  assert.deepEqual([created.body['ready'], created.body['broker_url']], [true, broker.url]);
  const read = await rest.ask('GET', '/v1/service_brokers/pg');
  for (const { body } of [created, read, await rest.ask('GET', '/v1/service_brokers')])
    assert.ok(!/broker-password|credentials/.test(JSON.stringify(body)));
  const offerings = await rest.ask('GET', "/v1/service_offerings?fieldQuery=broker_id eq 'pg'");
  assert.ok(Number(offerings.body['num_items']) > 0);
});

test('the operation of a broker lists its transitive resources; last_operation does not', async () => {
  const { body } = await rest.ask('GET', "/v1/operations?fieldQuery=resource_id eq 'pg'");
  const [operation] = body['items'] as JsonObject[];
  const touched = operation?.['transitive_resources'] as JsonObject[];
  const made = touched.map(({ type, operation_type }) => `${operation_type as string} ${type as string}`);
  assert.deepEqual([...new Set(made)].sort().slice(-2), ['create /v1/service_offerings', 'create /v1/service_plans']);
  assert.ok(touched.every(({ id }) => typeof id === 'string'));
  const { body: broker } = await rest.ask('GET', '/v1/service_brokers/pg?attach_last_operations=true');
  const last = broker['last_operation'] as JsonObject;
  assert.deepEqual([last['type'], 'transitive_resources' in last], ['create', false]);
});

test('every change fetches the catalog again', async () => {
  broker.forgetRequests();
  const patched = await rest.ask('PATCH', '/v1/service_brokers/pg', { body: {} });
  assert.equal(patched.status, 200, JSON.stringify(patched.body));
  assert.equal(broker.requests.filter(({ url }) => url === '/v2/catalog').length, 1);
  const change = {
    description: 'big',
    labels: [{ op: 'add', key: 'env', values: ['prod'] }],
    limits: { timeout_ms: 5000 },
  };
  const { body } = await rest.ask('PATCH', '/v1/service_brokers/pg', { body: change });
  assert.deepEqual(
    [body['description'], body['labels'], body['limits']],
    ['big', { env: ['dev', 'prod'] }, { timeout_ms: 5000 }],
  );
  const moved = await rest.ask('PATCH', '/v1/service_brokers/pg', { body: { broker_url: `${broker.url}/x` } });
  assert.equal(moved.status, 400);
});

const rejected: readonly [why: string, body: JsonObject, status: number][] = [
  ['no name', { broker_url: 'http://x', credentials }, 400],
  ['no address', { name: 'x', credentials }, 400],
  ['no credentials', { name: 'x', broker_url: 'http://x' }, 400],
  ['half of basic credentials', { name: 'x', broker_url: 'http://x', credentials: { basic: { username: 'u' } } }, 400],
  ['half of a certificate', { name: 'x', broker_url: 'http://x', credentials: { tls: { client_key: 'k' } } }, 400],
  ['a wrong version', { name: 'x', broker_url: 'http://x', credentials, api_version: 'two' }, 400],
  ['an unknown limit', { name: 'x', broker_url: 'http://x', credentials, limits: { speed: 1 } }, 400],
  ['a metadata address', { name: 'x', broker_url: 'http://169.254.169.254', credentials }, 400],
  ['an address without a server', { name: 'x', broker_url: 'http://127.0.0.1:1', credentials }, 502],
];
for (const [why, body, status] of rejected) {
  test(`a broker with ${why} is rejected with ${status}`, async () => {
    const answer = await rest.ask('POST', '/v1/service_brokers', { body });
    assert.equal(answer.status, status, JSON.stringify(answer.body));
  });
}

test('only operators offer what the landscape itself has', async () => {
  const body = { name: 'inner', internal: 'providers' };
  assert.equal((await rest.ask('POST', '/v1/service_brokers', { as: 'user all@a', body })).status, 403);
});

test('in the background a broker is there at once and its operation is in progress', async () => {
  const begun = await rest.ask('POST', '/v1/service_brokers?async=true', { body: bodyOf('later') });
  assert.deepEqual([begun.status, begun.body], [202, {}]);
  const location = begun.headers.get('location') ?? '';
  assert.match(location, /^\/v1\/service_brokers\/later\/operations\/[\w-]+$/);
  assert.equal((await rest.ask('GET', location)).body['state'], 'in progress');
  assert.equal((await rest.ask('GET', '/v1/service_brokers/later')).body['ready'], false);
});

test('the operations of an asynchronous change and deletion record how they ended', async () => {
  await rest.ask('POST', '/v1/service_brokers', { body: bodyOf('back') });
  const stateOf = async (location: string) => (await rest.ask('GET', location)).body;
  const changed = await rest.ask('PATCH', '/v1/service_brokers/back?async=true', { body: { description: 'x' } });
  assert.equal(changed.status, 202);
  const end = (location: string | null) =>
    eventually(async () => {
      const operation = await stateOf(location ?? '');
      assert.notEqual(operation['state'], 'in progress');
      return operation;
    });
  assert.equal((await end(changed.headers.get('location')))['state'], 'succeeded');
  assert.equal((await rest.ask('GET', '/v1/service_brokers/back')).body['description'], 'x');

  broker.misbehave({ type: 'answer', status: 500, body: {} }, { path: /catalog/ });
  const failing = await rest.ask('PATCH', '/v1/service_brokers/back?async=true', { body: {} });
  const failed = await end(failing.headers.get('location'));
  assert.equal(failed['state'], 'failed');
  assert.equal(typeof (failed['errors'] as JsonObject)['description'], 'string');
  broker.behave();

  const removed = await rest.ask('DELETE', '/v1/service_brokers/back?async=true');
  assert.equal((await end(removed.headers.get('location')))['state'], 'succeeded');
  assert.equal((await rest.ask('GET', '/v1/service_brokers/back')).status, 404);
});

test('a broker with instances stays, one without goes', async () => {
  await rest.ask('POST', '/v1/service_brokers', { body: bodyOf('used') });
  const [plan] = [...rest.registry.plans.by('brokerId', 'used')];
  const instance = await seedInstance(rest.registry, { spec: { planId: plan?.id ?? '' } });
  const kept = await rest.ask('DELETE', '/v1/service_brokers/used');
  assert.deepEqual([kept.status, kept.body['error']], [409, 'ExistingReferenceEntity']);
  await rest.registry.commit([{ type: 'remove', table: 'instances', row: instance }]);
  assert.equal((await rest.ask('DELETE', '/v1/service_brokers/used')).status, 200);
  assert.equal((await rest.ask('GET', `/v1/service_plans/${plan?.id}`)).status, 404);
});

test('a repeated registration with the same key is the same broker', async () => {
  const headers = { 'idempotency-key': 'broker' };
  const body = bodyOf('again');
  assert.equal((await rest.ask('POST', '/v1/service_brokers', { headers, body })).status, 201);
  assert.equal((await rest.ask('POST', '/v1/service_brokers', { headers, body })).status, 201);
  const clash = await rest.ask('POST', '/v1/service_brokers', { body });
  assert.deepEqual([clash.status, clash.body['ids']], [409, ['again']]);
});

test('labels alone can be changed of offerings and plans', async () => {
  const [offering] = [...rest.registry.offerings.by('brokerId', 'pg')];
  const [plan] = [...rest.registry.plans.by('brokerId', 'pg')];
  for (const path of [`/v1/service_offerings/${offering?.id}`, `/v1/service_plans/${plan?.id}`]) {
    const labels = [{ op: 'add', key: 'tier', values: ['gold'] }];
    const patched = await rest.ask('PATCH', path, { body: { id: 'x', labels } });
    assert.deepEqual([patched.status, patched.body['labels']], [200, { tier: ['gold'] }]);
    assert.equal((patched.body['last_operation'] as JsonObject)['type'], 'update');
    const other = await rest.ask('PATCH', path, { body: { labels, name: 'x' } });
    assert.equal(other.status, 400);
    assert.match(other.body['description'] as string, /Only labels can be patched/);
    const unknown = await rest.ask('PATCH', path, { body: { labels: [{ op: 'replace', key: 'tier' }] } });
    assert.equal(unknown.status, 400);
  }
  const found = await rest.ask('GET', "/v1/service_plans?labelQuery=tier eq 'gold'");
  assert.equal(found.body['num_items'], 1);
});

test('a disabled query parameter is rejected, others are ignored', async () => {
  await using other = await startTestRest({ settings: { disabledQueryParameters: ['environment'] } });
  assert.equal((await other.ask('GET', '/v1/service_plans?environment=cf')).status, 501);
  assert.equal((await other.ask('GET', '/v1/service_offerings?environment=cf')).status, 501);
  assert.equal((await rest.ask('GET', '/v1/service_plans?environment=cf')).status, 200);
});

test('a visibility is made, changed and deleted, and rejected when it makes no sense', async () => {
  await rest.ask('POST', '/v1/platforms', { body: { id: 'plat', name: 'plat', type: 'kubernetes' } });
  const [plan, otherPlan] = [...rest.registry.plans.by('brokerId', 'pg')].map(({ id }) => id);
  const make = (body: JsonObject) => rest.ask('POST', '/v1/visibilities', { body });
  const created = await make({ id: 'v1', service_plan_id: plan, platform_id: 'plat', labels: { org: ['o1'] } });
  assert.deepEqual([created.status, created.body['platform_id']], [201, 'plat'], JSON.stringify(created.body));
  const again = await make({ service_plan_id: plan, platform_id: 'plat' });
  assert.deepEqual([again.status, again.body['ids']], [409, ['v1']]);
  assert.equal((await make({ service_plan_id: plan, platform_id: null })).status, 400);
  assert.equal((await make({ service_plan_id: 'none' })).status, 400);
  assert.equal((await make({ service_plan_id: plan, platform_id: 'none' })).status, 400);
  assert.equal((await make({})).status, 400);
  const patched = await rest.ask('PATCH', '/v1/visibilities/v1', {
    body: { service_plan_id: otherPlan, platform_id: null, labels: [{ op: 'remove', key: 'org' }] },
  });
  assert.deepEqual(
    [patched.status, patched.body['service_plan_id'], patched.body['platform_id'], patched.body['labels']],
    [200, otherPlan, '', undefined],
    JSON.stringify(patched.body),
  );
  assert.equal((await rest.ask('DELETE', '/v1/visibilities/v1')).status, 200);
  assert.equal((await rest.ask('GET', '/v1/visibilities/v1')).status, 404);
});
