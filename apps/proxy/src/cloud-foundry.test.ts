import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Logger, silentLogger } from '@chandlery/platform';
import { eventually } from '@chandlery/testing';

import { createCloudFoundryAdapter } from './adapters/cloud-foundry/create-cloud-foundry-adapter.ts';
import { startCloudController, type TestCloudController } from './adapters/cloud-foundry/test-cloud-controller.ts';
import { type Proxy, type ProxyOptions, startProxy } from './run-proxy.ts';
import { startTestBroker } from './test-broker.ts';
import { startTestServiceManager, type TestServiceManager } from './test-service-manager.ts';

const stack = new AsyncDisposableStack();
let manager: TestServiceManager;

before(async () => {
  manager = stack.use(await startTestServiceManager());
});
after(() => stack.disposeAsync());

interface World extends AsyncDisposable {
  readonly cloud: TestCloudController;
  readonly platformId: string;
  start(options?: Partial<ProxyOptions>): Promise<Proxy>;
}

async function openWorld(name: string): Promise<World> {
  const cloud = await startCloudController({ organizations: ['org-a', 'org-b'], caPem: manager.caPem });
  const { id, username, password } = await manager.registerPlatform(name, 'cloudfoundry');
  const { url, caPem } = manager;
  return {
    cloud,
    platformId: id,
    start: (options = {}) =>
      startProxy({
        serviceManager: { url, caPem, username, password },
        platform: createCloudFoundryAdapter({
          url: cloud.url,
          login: { user: cloud.user },
          logger: silentLogger,
          jobPollMs: 10,
        }),
        ...options,
        settings: { retryDelayMs: 50, reconnectDelayMs: 50, ...options.settings },
      }),
    [Symbol.asyncDispose]: () => cloud[Symbol.asyncDispose](),
  };
}

const place = { organization: 'org-a', space: 'space-1' };

test('Cloud Foundry users order what the service manager lets them, and nothing else', async () => {
  await using broker = await startTestBroker();
  await using deps = await openWorld('cf-story');
  await using proxy = await deps.start();
  const { cloud, platformId } = deps;
  const brokerId = await manager.registerBroker('pg', broker.url);
  const entry = await eventually(() => [...cloud.state.brokers.values()][0], { what: 'the broker at the platform' });
  assert.equal(entry.record.name, `sm-pg-${brokerId}`);
  assert.equal(entry.record.url, `${manager.url}/v1/osb/${brokerId}`);
  assert.deepEqual(cloud.consumer.marketplace('org-a'), []);

  const syncPlan = await manager.planId('sync');
  const visibility = await manager.allow(syncPlan, platformId, { organization_guid: ['org-a'] });
  await eventually(() => cloud.consumer.marketplace('org-a').length === 1, { what: 'the plan for org-a' });
  assert.deepEqual(cloud.consumer.marketplace('org-b'), []);

  const instance = await cloud.consumer.createInstance(place, 'sync', { name: 'db' });
  const binding = await cloud.consumer.createBinding(place, instance);
  assert.ok(Object.keys(binding.credentials).length > 0);
  assert.equal(broker.instances.has(instance.id), true);
  await cloud.consumer.deleteBinding(binding);
  await cloud.consumer.deleteInstance(instance);
  assert.equal(broker.instances.has(instance.id), false);

  const labels = [{ op: 'add', key: 'organization_guid', values: ['org-b'] }];
  await manager.call(`/v1/visibilities/${visibility}`, { method: 'PATCH', body: { labels } });
  await eventually(() => cloud.consumer.marketplace('org-b').length === 1, { what: 'the plan for org-b' });
  await manager.call(`/v1/visibilities/${visibility}`, { method: 'DELETE' });
  await eventually(() => cloud.consumer.marketplace('org-a').length === 0, { what: 'the plan to be taken away' });

  await manager.call(`/v1/service_brokers/${brokerId}`, { method: 'DELETE' });
  await eventually(() => cloud.state.brokers.size === 0, { what: 'the broker to be deregistered' });
  assert.equal(proxy.health().status, 'UP');
});

test('a public visibility makes a plan public, and its removal closes the plan', async () => {
  await using broker = await startTestBroker();
  await using deps = await openWorld('cf-public');
  await using _proxy = await deps.start();
  const brokerId = await manager.registerBroker('public-pg', broker.url);
  const visibility = await manager.allow(await manager.planId('async'));
  const { consumer } = deps.cloud;
  await eventually(() => consumer.marketplace('org-b').includes('database/async'), { what: 'the public plan' });
  await manager.call(`/v1/visibilities/${visibility}`, { method: 'DELETE' });
  await eventually(() => consumer.marketplace('org-b').length === 0, { what: 'the plan to be closed' });
  await manager.call(`/v1/service_brokers/${brokerId}`, { method: 'DELETE' });
});

test('a visibility costs a few requests to the Cloud Controller, however many plans the broker has', async () => {
  const planNames = Array.from({ length: 60 }, (_, at) => `plan-${at}`);
  await using broker = await startTestBroker('many', planNames);
  await using deps = await openWorld('cf-many-plans');
  await using proxy = await deps.start();
  const { cloud, platformId } = deps;
  const brokerId = await manager.registerBroker('many', broker.url);
  await eventually(() => cloud.state.plans.size === planNames.length, { what: 'all plans at the platform' });
  await eventually(() => proxy.health().status === 'UP');
  const before = cloud.requests.length;
  for (const name of planNames)
    await manager.allow(await manager.planId(name), platformId, { organization_guid: ['org-a'] });
  await eventually(() => cloud.consumer.marketplace('org-a').length === planNames.length, { what: 'access to all' });
  const requests = cloud.requests.length - before;
  const maxRequestsPerPlan = 8;
  assert.ok(requests <= maxRequestsPerPlan * planNames.length, `${requests} requests for ${planNames.length} plans`);
  await manager.call(`/v1/service_brokers/${brokerId}`, { method: 'DELETE' });
});

test('a deleted organization is skipped and causes no further changes', async () => {
  await using broker = await startTestBroker();
  await using deps = await openWorld('cf-gone-organization');
  await using proxy = await deps.start();
  const { cloud, platformId } = deps;
  const brokerId = await manager.registerBroker('gone-org', broker.url);
  await manager.allow(await manager.planId('large'), platformId, { organization_guid: ['org-a', 'org-gone'] });
  await eventually(() => cloud.consumer.marketplace('org-a').length === 1, { what: 'the plan for org-a' });
  const before = cloud.requests.length;
  const lastResync = (): unknown => proxy.health().details['last_resync'];
  const former = JSON.stringify(lastResync());
  proxy.resync();
  await eventually(() => JSON.stringify(lastResync()) !== former, { what: 'another comparison' });
  const changes = cloud.requests.slice(before).filter(request => /^(?!GET).*\/visibility/.test(request));
  assert.deepEqual(changes, []);
  await manager.call(`/v1/service_brokers/${brokerId}`, { method: 'DELETE' });
});

test('what to do about a failed login at the platform is logged', async () => {
  await using deps = await openWorld('cf-login');
  const lines: unknown[] = [];
  const keep = (message: string, fields?: object): void => void lines.push({ message, ...fields });
  const logger: Logger = { ...silentLogger, warn: keep };
  const login = { user: { username: 'cf-admin', password: 'wrong' } };
  const platform = createCloudFoundryAdapter({ url: deps.cloud.url, login, logger });
  await using _proxy = await deps.start({ platform, logger });
  const line = await eventually(() => lines[0] as Record<string, string> | undefined, { what: 'a warning' });
  assert.deepEqual(
    [line['code'], line['hint']],
    ['LoginFailed', 'Check the user and password, or the client and secret, of the platform.'],
  );
});

test('a change that the platform rejected is repaired soon, not at the next resync', async () => {
  await using broker = await startTestBroker();
  await using deps = await openWorld('cf-repair');
  await using proxy = await deps.start();
  await eventually(() => proxy.health().status === 'UP');
  deps.cloud.failNext(/POST \/v3\/service_brokers/, 503);
  deps.cloud.failNext(/POST \/v3\/service_brokers/, 503);
  const brokerId = await manager.registerBroker('repaired', broker.url);
  await eventually(() => deps.cloud.state.brokers.size === 1, { what: 'the broker after two failures' });
  await eventually(() => Object.keys(proxy.health().details['problems'] as object).length === 0);
  await manager.call(`/v1/service_brokers/${brokerId}`, { method: 'DELETE' });
});

test('rotated credentials work, and the former ones do not any more', async () => {
  await using broker = await startTestBroker();
  await using deps = await openWorld('cf-rotation');
  await using proxy = await deps.start();
  const brokerId = await manager.registerBroker('rotated', broker.url);
  const entry = await eventually(() => [...deps.cloud.state.brokers.values()][0]);
  const former = { ...entry, credentials: { ...entry.credentials } };
  await eventually(() => proxy.health().status === 'UP');
  proxy.rotateCredentials();
  await eventually(() => entry.credentials.username !== former.credentials.username, { what: 'new credentials' });
  await deps.cloud.state.fetchCatalog(entry);
  await eventually(async () => {
    await assert.rejects(deps.cloud.state.fetchCatalog(former), /401/);
    return true;
  });
  await manager.call(`/v1/service_brokers/${brokerId}`, { method: 'DELETE' });
});

test('on the data path the platform calls the proxy, and entries that led elsewhere are rewritten', async () => {
  await using broker = await startTestBroker();
  await using deps = await openWorld('cf-data-path');
  const brokerId = await manager.registerBroker('behind-proxy', broker.url);
  const direct = await deps.start();
  const entry = await eventually(() => [...deps.cloud.state.brokers.values()][0]);
  await eventually(() => direct.health().status === 'UP');
  await direct[Symbol.asyncDispose]();

  await using proxy = await deps.start({ listen: { host: '127.0.0.1', port: 0 }, dataPath: true });
  await eventually(() => entry.record.url === `${proxy.url}/v1/osb/${brokerId}`, { what: 'the rewritten address' });
  await manager.allow(await manager.planId('sync'), deps.platformId, { organization_guid: ['org-a'] });
  await eventually(() => deps.cloud.consumer.marketplace('org-a').length === 1);
  const instance = await deps.cloud.consumer.createInstance(place, 'sync');
  assert.equal(broker.instances.has(instance.id), true);
  const stranger = { ...entry, credentials: { username: 'stranger', password: 'guess' } };
  await assert.rejects(deps.cloud.state.fetchCatalog(stranger), /401/);
  await deps.cloud.consumer.deleteInstance(instance);
  await manager.call(`/v1/service_brokers/${brokerId}`, { method: 'DELETE' });
});
