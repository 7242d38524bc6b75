import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { type Client, createClient, loadKubeconfig } from '@chandlery/client';
import { silentLogger } from '@chandlery/platform';
import { findCondition, isConditionTrue } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import { createKubernetesAdapter } from './adapters/kubernetes/create-kubernetes-adapter.ts';
import { startProxy } from './run-proxy.ts';
import { startTestBroker } from './test-broker.ts';
import { startTestServiceManager, type TestServiceManager } from './test-service-manager.ts';

const stack = new AsyncDisposableStack();
let manager: TestServiceManager;

before(async () => {
  manager = stack.use(await startTestServiceManager());
});
after(() => stack.disposeAsync());

const group = { group: 'services.chandlery.io', version: 'v1alpha1' } as const;
const instances = { ...group, plural: 'serviceinstances', namespace: 'default' };
const bindings = { ...group, plural: 'servicebindings', namespace: 'default' };
const classes = { ...group, plural: 'serviceclasses' };
const secrets = { group: '', version: 'v1', plural: 'secrets', namespace: 'default' };

async function openCluster(name: string) {
  await manager.landscape.createCluster(name);
  const connection = loadKubeconfig(manager.landscape.kubeconfig, { context: name });
  const tester = createClient(connection);
  const platform = await manager.registerPlatform(name, 'kubernetes');
  const { url, caPem } = manager;
  const adapter = await createKubernetesAdapter({
    client: createClient(connection),
    logger: silentLogger,
    secretNamespace: 'brokers',
    caPem,
    pollMs: 20,
    retryMs: 20,
  });
  const proxy = await startProxy({
    serviceManager: { url, caPem, ...platform },
    platform: adapter,
    settings: { retryDelayMs: 50 },
  });
  return {
    tester,
    platformId: platform.id,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await tester[Symbol.asyncDispose]();
    },
  };
}

const order = (name: string, plan: string, more: object = {}): KubeObject => ({
  apiVersion: 'services.chandlery.io/v1alpha1',
  kind: 'ServiceInstance',
  metadata: { name },
  spec: { offering: 'database', plan, ...more },
});

const binding = (name: string, instance: string): KubeObject => ({
  apiVersion: 'services.chandlery.io/v1alpha1',
  kind: 'ServiceBinding',
  metadata: { name },
  spec: { instance },
});

async function ready(client: Client, ref: typeof instances, name: string): Promise<KubeObject> {
  return eventually(
    async () => {
      const object = await client.get({ ...ref, name });
      const { reason, message } = findCondition(object, 'Ready') ?? {};
      assert.ok(isConditionTrue(object, 'Ready'), `${reason}: ${message}`);
      return object;
    },
    { what: `${ref.plural} ${name} to be ready`, timeoutMs: 20_000 },
  );
}

const gone = (client: Client, ref: typeof instances, name: string) =>
  eventually(async () => (await client.list(ref)).items.every(({ metadata }) => metadata.name !== name), {
    what: `${ref.plural} ${name} to go`,
    timeoutMs: 20_000,
  });

test('a cluster orders, binds, changes and gives back services by objects', async () => {
  await using broker = await startTestBroker('k8s-story');
  await using cluster = await openCluster('orders');
  const { tester, platformId } = cluster;
  const brokerId = await manager.registerBroker('k8s-pg', broker.url);
  for (const name of ['sync', 'async', 'large']) await manager.allow(await manager.planId(name), platformId);
  const shown = await eventually(
    async () =>
      (await tester.list(classes)).items.find(
        ({ status }) => (status as { planNames?: string })?.planNames === 'sync,async,large',
      ),
    { what: 'the class with its plans' },
  );
  assert.equal((shown['spec'] as { offering: string }).offering, 'database');

  await tester.create(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'params' },
    stringData: { more: '{"b":2}' },
  });
  const parametersFrom = [{ secretKeyRef: { name: 'params', key: 'more' } }];
  await tester.create(instances, order('db', 'async', { parameters: { a: 1 }, parametersFrom }));
  await tester.create(bindings, binding('db-access', 'db'));
  await ready(tester, bindings, 'db-access');
  const [sent] = [...broker.instances.values()];
  assert.deepEqual(sent?.['parameters'], { a: 1, b: 2 });
  const context = sent?.['context'] as Record<string, string>;
  assert.equal(context['platform'], 'kubernetes');
  assert.equal(context['instance_name'], 'db');
  const secret = await tester.get({ ...secrets, name: 'db-access' });
  const data = secret['data'] as Record<string, string>;
  assert.equal(Buffer.from(data['port'] ?? '', 'base64').toString(), '5432');

  await tester.patch({ ...instances, name: 'db' }, { type: 'merge', body: { spec: { plan: 'large' } } });
  await eventually(() => [...broker.instances.values()][0]?.['plan_id'] === 'k8s-story-large', {
    what: 'the new plan',
  });
  await ready(tester, instances, 'db');

  await tester.delete({ ...instances, name: 'db' });
  await eventually(
    async () => findCondition(await tester.get({ ...instances, name: 'db' }), 'Ready')?.reason === 'BindingsExist',
  );
  await tester.delete({ ...bindings, name: 'db-access' });
  await gone(tester, bindings, 'db-access');
  await gone(tester, instances, 'db');
  assert.equal(broker.instances.size, 0);
  assert.equal(broker.bindings.size, 0);

  await manager.call(`/v1/service_brokers/${brokerId}`, { method: 'DELETE' });
  await eventually(async () => (await tester.list(classes)).items.length === 0, { what: 'the class to go' });
});

test('an order that may have been carried out is taken back before it is tried again', async () => {
  await using broker = await startTestBroker('k8s-orphan');
  await using cluster = await openCluster('orphans');
  const { tester, platformId } = cluster;
  const brokerId = await manager.registerBroker('orphan-pg', broker.url);
  await manager.allow(await manager.planId('sync'), platformId);
  await eventually(async () => (await tester.list(classes)).items.length === 1);
  broker.failNext(/^PUT /, 500, { isDone: true });
  await tester.create(instances, order('late', 'sync'));
  await ready(tester, instances, 'late');
  assert.equal(broker.instances.size, 1);
  assert.ok(broker.requests.some(request => request.startsWith('DELETE ')));
  await tester.create(instances, order('unknown', 'no-such-plan'));
  const rejected = await eventually(async () =>
    findCondition(await tester.get({ ...instances, name: 'unknown' }), 'Ready'),
  );
  assert.equal(rejected.reason, 'PlanNotFound');
  for (const name of ['late', 'unknown']) {
    await tester.delete({ ...instances, name });
    await gone(tester, instances, name);
  }
  await manager.call(`/v1/service_brokers/${brokerId}`, { method: 'DELETE' });
});
