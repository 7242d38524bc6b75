import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { ManualClock } from '@chandlery/platform';
import { seedOperation, seedPlatform } from '../../test-registry.ts';
import { startTestRest } from './test-rest.ts';

test('the documents say what they should, to whom they should', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const contextPrivateKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  await using rest = await startTestRest({
    settings: { contextPrivateKey, clientKey: 'hidden-key', agentVersions: { k8s: ['1.0'] } },
    info: { tokenIssuerUrl: 'https://issuer.example' },
  });
  const info = await rest.ask('GET', '/v1/info', { as: '' });
  assert.deepEqual(info.body, {
    token_issuer_url: 'https://issuer.example',
    token_basic_auth: true,
    service_manager_tenant_id: '',
    context_rsa_public_key: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  });
  assert.deepEqual((await rest.ask('GET', '/v1/agents/versions', { as: '' })).body, { k8s: ['1.0'] });
  const config = await rest.ask('GET', '/v1/config');
  assert.equal(config.body['pollingIntervalMs'], 4000);
  assert.ok(!/hidden-key|PRIVATE KEY/.test(JSON.stringify(config.body)));
});

test('the log is changed by operators, with values that exist', async () => {
  await using rest = await startTestRest();
  assert.deepEqual((await rest.ask('GET', '/v1/config/logging')).body, { level: 'info', format: 'json' });
  const changed = await rest.ask('PUT', '/v1/config/logging', { body: { level: 'debug' } });
  assert.deepEqual([changed.status, changed.body], [200, { level: 'debug', format: 'json' }]);
  for (const body of [{ level: 'loud' }, { format: 5 }])
    assert.equal((await rest.ask('PUT', '/v1/config/logging', { body })).status, 400);
});

test('health is public, its details are not', async () => {
  let isOpen = false;
  const checkStorage = async () => {
    if (isOpen) throw new Error('disk full');
  };
  await using rest = await startTestRest({ checkStorage });
  const lastActiveAt = new Date().toISOString();
  await seedPlatform(rest.registry, { status: { isConnected: true, lastActiveAt } });
  await seedPlatform(rest.registry, { status: { isConnected: true, lastActiveAt: '2020-01-01T00:00:00Z' } });
  const open = await rest.ask('GET', '/v1/monitor/health', { as: '' });
  assert.deepEqual([open.status, open.body['status']], [200, 'UP']);
  assert.ok(!JSON.stringify(open.body).includes('connected'));
  const full = await rest.ask('GET', '/v1/monitor/health');
  assert.ok(JSON.stringify(full.body).includes('"connected":1'), 'whom a dead replica left behind does not count');
  isOpen = true;
  const down = await rest.ask('GET', '/v1/monitor/health', { as: 'wrong' });
  assert.deepEqual([down.status, down.body['status']], [503, 'DOWN']);
  assert.ok(!JSON.stringify(down.body).includes('disk full'));
  assert.ok(JSON.stringify((await rest.ask('GET', '/v1/monitor/health')).body).includes('disk full'));
});

test('an operation on a tenant is read under that tenant', async () => {
  await using rest = await startTestRest();
  const spec = { resourceId: 'a', resourceType: '/v1/tenants', type: 'delete' } as const;
  await seedOperation(rest.registry, { id: 'op', tenant: 'a', spec });
  assert.equal((await rest.ask('GET', '/v1/tenants/a/operations/op')).status, 200);
  assert.equal((await rest.ask('GET', '/v1/tenants/b/operations/op')).status, 404);
  assert.equal((await rest.ask('GET', '/v1/tenants/a/operations/op', { as: 'user all@b' })).status, 404);
});

test('a caller beyond the rate limit gets Retry-After', async () => {
  const clock = new ManualClock('2030-01-01T00:00:00Z');
  const settings = { rateLimit: '2-M:/v1/platforms', rateLimitExempt: ['spared'] };
  await using rest = await startTestRest({ clock, settings });
  await seedPlatform(rest.registry, { id: 'p1' });
  await seedPlatform(rest.registry, { id: 'p2', spec: { name: 'spared' } });
  const ask = (as: string, path = '/v1/platforms') => rest.ask('GET', path, { as });
  assert.equal((await ask('platform p1')).headers.get('ratelimit-remaining'), '1');
  assert.equal((await ask('platform p1')).headers.get('ratelimit-remaining'), '0');
  const rejected = await ask('platform p1');
  assert.deepEqual([rejected.status, rejected.body['error']], [429, 'TooManyRequests']);
  assert.deepEqual(
    ['limit', 'remaining', 'reset'].map(name => rejected.headers.get(`ratelimit-${name}`)),
    ['2', '0', '60'],
  );
  assert.equal(rejected.body['retry_after_seconds'], 60);
  const retryAfter = rejected.headers.get('retry-after') ?? '';
  assert.ok(retryAfter.length >= 19 && !Number.isNaN(Date.parse(retryAfter)));
  assert.equal((await rest.ask('PATCH', '/v1/platforms/p1', { as: 'user all@a', body: {} })).status, 404);
  for (const as of ['operator', 'platform p2', 'operator', 'platform p2']) assert.equal((await ask(as)).status, 200);
  assert.equal((await ask('platform p1', '/v1/visibilities')).status, 200);
  clock.advance(60_000);
  assert.equal((await ask('platform p1')).status, 200);
});

test('rate limits that cannot be read stop the start', async () => {
  await assert.rejects(() => startTestRest({ settings: { rateLimit: 'often' } }), /"often" is not understood/);
});
