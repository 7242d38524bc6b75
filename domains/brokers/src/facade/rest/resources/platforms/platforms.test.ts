import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import { ownPlatformId } from '../../../../kinds/index.ts';
import { seedInstance, seedPlatform, seedRow, seedVisibility } from '../../../../test-registry.ts';
import { startTestRest, type TestRest } from '../../test-rest.ts';

let rest: TestRest;
before(async () => {
  rest = await startTestRest();
});
after(() => rest[Symbol.asyncDispose]());

const basicOf = (body: JsonObject) => (body['credentials'] as { basic: { username: string; password: string } }).basic;

test('a platform is registered, read, changed and deleted', async () => {
  const created = await rest.ask('POST', '/v1/platforms', {
    body: {
      name: 'eu-1',
      type: 'kubernetes',
      labels: { tier: ['prod'] },
      credentials: { basic: { username: 'mine' } },
    },
  });
  assert.equal(created.status, 201);
  const { id } = created.body;
  assert.match(basicOf(created.body).username, /^[\w+/]{43}=$/);
  assert.deepEqual((created.body['last_operation'] as JsonObject)['state'], 'succeeded');
  assert.equal((created.body['last_operation'] as JsonObject)['reschedule_timestamp'], '0001-01-01T00:00:00Z');

  const read = await rest.ask('GET', `/v1/platforms/${id as string}`);
  assert.equal(read.status, 200);
  assert.equal(read.body['credentials'], undefined);
  assert.deepEqual(read.body['labels'], { tier: ['prod'] });

  const changed = await rest.ask('PATCH', `/v1/platforms/${id as string}`, {
    body: {
      id: 'ignored',
      description: 'big',
      labels: [
        { op: 'add', key: 'tier', values: ['gold'] },
        { op: 'remove_values', key: 'tier', values: ['prod'] },
      ],
    },
  });
  assert.equal(changed.status, 200);
  assert.deepEqual(
    [changed.body['id'], changed.body['description'], changed.body['labels']],
    [id, 'big', { tier: ['gold'] }],
  );
  assert.equal(changed.body['credentials'], undefined);
  const cleared = await rest.ask('PATCH', `/v1/platforms/${id as string}`, { body: { description: null } });
  assert.equal(cleared.body['description'], '');

  const deleted = await rest.ask('DELETE', `/v1/platforms/${id as string}`);
  assert.deepEqual([deleted.status, deleted.body], [200, {}]);
  assert.equal((await rest.ask('GET', `/v1/platforms/${id as string}`)).status, 404);
});

test('credentials in use hold beside new ones, unused ones are replaced', async () => {
  const { body } = await rest.ask('POST', '/v1/platforms', { body: { id: 'rotating', name: 'rotating', type: 'x' } });
  const first = basicOf(body);
  const path = '/v1/platforms/rotating?regenerateCredentials=true';
  const second = basicOf((await rest.ask('PATCH', path, { body: {} })).body);
  const statusOf = () => rest.registry.platforms.get('rotating')?.status;
  assert.equal(statusOf()?.oldCredentials, undefined);
  assert.notEqual(first.username, second.username);

  const row = rest.registry.platforms.get('rotating');
  assert.ok(row?.status.credentials);
  const status = { ...row.status, credentials: { ...row.status.credentials, isActive: true } };
  await rest.registry.commit([{ type: 'update', table: 'platforms', row, status }]);
  const third = basicOf((await rest.ask('PATCH', path, { body: {} })).body);
  assert.equal(statusOf()?.oldCredentials?.username, second.username);
  assert.equal(statusOf()?.credentials?.username, third.username);
  assert.ok(!JSON.stringify(statusOf()).includes(third.password));
});

test('a technical platform has no credentials and is not shown, but can be deleted', async () => {
  const body = { id: 'tech', name: 'tech', type: 'x', technical: true };
  const created = await rest.ask('POST', '/v1/platforms', { body });
  assert.deepEqual([created.status, created.body['credentials']], [201, undefined]);
  assert.equal((await rest.ask('GET', '/v1/platforms/tech')).status, 404);
  const list = await rest.ask('GET', "/v1/platforms?fieldQuery=name eq 'tech'");
  assert.equal(list.body['num_items'], 0);
  assert.equal((await rest.ask('PATCH', '/v1/platforms/tech?regenerateCredentials=true', { body: {} })).status, 400);
  assert.equal((await rest.ask('DELETE', '/v1/platforms/tech')).status, 200);
});

test("the service manager's own platform is protected", async () => {
  await seedPlatform(rest.registry, { id: ownPlatformId, spec: { name: ownPlatformId, type: ownPlatformId } });
  assert.equal((await rest.ask('GET', `/v1/platforms/${ownPlatformId}`)).status, 200);
  assert.equal((await rest.ask('PATCH', `/v1/platforms/${ownPlatformId}`, { body: {} })).status, 404);
  assert.equal((await rest.ask('DELETE', `/v1/platforms/${ownPlatformId}`)).status, 404);
  const many = await rest.ask('DELETE', `/v1/platforms?fieldQuery=name eq '${ownPlatformId}'`);
  assert.equal(many.status, 404);
});

test('a platform without recent activity is not active, whatever its row says', async () => {
  const now = new Date().toISOString();
  await seedPlatform(rest.registry, { id: 'live', status: { isConnected: true, lastActiveAt: now } });
  await seedPlatform(rest.registry, {
    id: 'left',
    status: { isConnected: true, lastActiveAt: '2020-01-01T00:00:00Z' },
  });
  const { body } = await rest.ask('GET', "/v1/platforms?fieldQuery=active eq true and id in ('live','left')");
  assert.deepEqual(
    (body['items'] as { id: string }[]).map(({ id }) => id),
    ['live'],
  );
});

test('a platform with instances is deleted by cascade only', async () => {
  await seedPlatform(rest.registry, { id: 'busy' });
  await seedInstance(rest.registry, { spec: { platformId: 'busy' } });
  const rejected = await rest.ask('DELETE', '/v1/platforms/busy');
  assert.deepEqual([rejected.status, rejected.body['error']], [409, 'ExistingReferenceEntity']);
  const begun = await rest.ask('DELETE', '/v1/platforms/busy?cascade=true');
  assert.equal(begun.status, 202);
  const location = begun.headers.get('location') ?? '';
  assert.match(location, /^\/v1\/platforms\/busy\/operations\/[\w-]+$/);
  assert.equal((await rest.ask('GET', location)).body['state'], 'pending');
  const again = await rest.ask('DELETE', '/v1/platforms/busy?cascade=true');
  assert.equal(again.headers.get('location'), location);
  assert.equal((await rest.ask('DELETE', '/v1/platforms/busy?cascade=true&force=true')).status, 400);
});

test('visibilities and credentials go with a platform', async () => {
  const { registry } = rest;
  await seedPlatform(registry, { id: 'leaving' });
  const visibility = await seedVisibility(registry, { spec: { planId: 'p', platformId: 'leaving' } });
  const spec = { platformId: 'leaving', brokerId: 'b', username: 'u', passwordHash: 'h' };
  const credential = await seedRow(registry, 'credentials', { spec });
  assert.equal((await rest.ask('DELETE', '/v1/platforms/leaving')).status, 200);
  assert.equal(registry.visibilities.get(visibility.id), undefined);
  assert.equal(registry.credentials.get(credential.id), undefined);
});

const rejected: readonly [why: string, body: JsonObject, status: number, error: string][] = [
  ['no name', { type: 'x' }, 400, 'BadRequest'],
  ['no type', { name: 'x' }, 400, 'BadRequest'],
  ['a number as a name', { name: 5, type: 'x' }, 400, 'BadRequest'],
  ['a long name', { name: 'x'.repeat(256), type: 'x' }, 400, 'BadRequest'],
  ['a reserved character in the id', { id: 'a/b', name: 'x', type: 'x' }, 400, 'BadRequest'],
  ['an id that is no text', { id: 5, name: 'x', type: 'x' }, 400, 'BadRequest'],
  ['labels as a list', { name: 'x', type: 'x', labels: [] }, 400, 'BadRequest'],
];
for (const [why, body, status, error] of rejected) {
  test(`a platform with ${why} is rejected`, async () => {
    const answer = await rest.ask('POST', '/v1/platforms', { body });
    assert.deepEqual([answer.status, answer.body['error']], [status, error], JSON.stringify(answer.body));
  });
}

test('a name is taken once in each tenant, and the conflict names who has it', async () => {
  const body = { id: 'first', name: 'taken', type: 'x' };
  assert.equal((await rest.ask('POST', '/v1/platforms', { body })).status, 201);
  const again = await rest.ask('POST', '/v1/platforms', { body: { name: 'taken', type: 'x' } });
  assert.deepEqual(
    [again.status, again.body['description'], again.body['ids']],
    [409, 'found conflicting platform', ['first']],
  );
  const sameId = await rest.ask('POST', '/v1/platforms', { body: { ...body, name: 'other' } });
  assert.deepEqual([sameId.status, sameId.body['ids']], [409, ['first']]);
  const elsewhere = await rest.ask('POST', '/v1/platforms?tenant=a', { body: { name: 'taken', type: 'x' } });
  assert.equal(elsewhere.status, 201);
  const renamed = await rest.ask('POST', '/v1/platforms', { body: { id: 'second', name: 'free', type: 'x' } });
  assert.equal(renamed.status, 201);
  const clash = await rest.ask('PATCH', '/v1/platforms/second', { body: { name: 'taken' } });
  assert.deepEqual([clash.status, clash.body['error'], clash.body['ids']], [409, 'Conflict', ['first']]);
});
