import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Client, createClient, loadKubeconfig } from '@chandlery/client';
import { silentLogger } from '@chandlery/platform';
import { findCondition, isConditionTrue } from '@chandlery/runtime';
import { eventually, runProcess, tempFolder } from '@chandlery/testing';
import { createKubernetesAdapter } from './adapters/kubernetes/create-kubernetes-adapter.ts';
import { type Proxy, startProxy } from './run-proxy.ts';
import { startTestBroker, type TestBroker } from './test-broker.ts';
import { startTestServiceManager, type TestServiceManager } from './test-service-manager.ts';

const stack = new AsyncDisposableStack();
let manager: TestServiceManager;

before(async () => {
  manager = stack.use(await startTestServiceManager());
});
after(() => stack.disposeAsync());

const group = { group: 'services.chandlery.io', version: 'v1alpha1' } as const;
const brokers = { ...group, plural: 'servicebrokers' };
const classes = { ...group, plural: 'serviceclasses' };
const instances = { ...group, plural: 'serviceinstances', namespace: 'default' };
const bindings = { ...group, plural: 'servicebindings', namespace: 'default' };
const brokerSecrets = { group: '', version: 'v1', plural: 'secrets', namespace: 'chandlery-proxy' };

interface Platform extends AsyncDisposable {
  readonly name: string;
  readonly id: string;
  readonly brokerId: string;
  readonly tester: Client;
  startProxy(password?: string): Promise<Proxy>;
}

/** A cluster that is registered as a platform and may use the broker. */
async function openPlatform(name: string, broker: TestBroker): Promise<Platform> {
  await manager.landscape.createCluster(name);
  const connection = loadKubeconfig(manager.landscape.kubeconfig, { context: name });
  const tester = createClient(connection);
  const { id, username, password: right } = await manager.registerPlatform(name, 'kubernetes');
  const brokerId = await manager.registerBroker(name, broker.url);
  await manager.allow(await manager.planId(`${name}-plan`), id);
  const { url, caPem } = manager;
  return {
    name,
    id,
    brokerId,
    tester,
    async startProxy(password = right) {
      const client = createClient(connection);
      const secretNamespace = 'chandlery-proxy';
      const adapter = await createKubernetesAdapter({
        client,
        logger: silentLogger,
        secretNamespace,
        caPem,
        pollMs: 20,
        retryMs: 20,
      });
      return startProxy({
        serviceManager: { url, caPem, username, password },
        platform: adapter,
        settings: { retryDelayMs: 50, reconnectDelayMs: 50 },
      });
    },
    [Symbol.asyncDispose]: () => Promise.resolve(tester[Symbol.asyncDispose]()),
  };
}

interface Collection {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace?: string;
}

const count = async (client: Client, ref: Collection): Promise<number> => (await client.list(ref)).items.length;

async function orderAndBind({ tester, name }: Platform): Promise<void> {
  await eventually(async () => (await count(tester, classes)) === 1, { what: 'the class' });
  const apiVersion = 'services.chandlery.io/v1alpha1';
  const spec = { offering: 'database', plan: `${name}-plan` };
  await tester.create(instances, { apiVersion, kind: 'ServiceInstance', metadata: { name: 'db' }, spec });
  const binding = { apiVersion, kind: 'ServiceBinding', metadata: { name: 'access' }, spec: { instance: 'db' } };
  await tester.create(bindings, binding);
  await eventually(async () => isConditionTrue(await tester.get({ ...bindings, name: 'access' }), 'Ready'), {
    what: 'the binding to be ready',
  });
}

async function leaveByCommand({ name }: Platform, folder: string, more: readonly string[] = []) {
  const program = join(import.meta.dirname, '../bin/chandlery-proxy.mjs');
  const { landscape, url } = manager;
  const ca = join(folder, 'ca.crt');
  writeFileSync(ca, landscape.ca);
  const flags = ['--service-manager-url', url, '--service-manager-ca', ca, '--log-level', 'error'];
  const cluster = ['--kubeconfig', landscape.kubeconfig, '--kube-context', name];
  return runProcess(process.execPath, [program, 'leave', ...flags, ...cluster, ...more]);
}

test('leave deregisters everything, but not while something is in use, and no other broker', async () => {
  await using broker = await startTestBroker('leaving', ['leaving-plan']);
  await using platform = await openPlatform('leaving', broker);
  await using folder = await tempFolder();
  const { tester } = platform;
  {
    await using _proxy = await platform.startProxy();
    await orderAndBind(platform);
  }
  const foreign = {
    apiVersion: 'services.chandlery.io/v1alpha1',
    kind: 'ServiceBroker',
    metadata: { name: 'foreign' },
  };
  await tester.create(brokers, { ...foreign, spec: { url: broker.url } });

  const rejected = await leaveByCommand(platform, folder.path);
  assert.equal(rejected.code, 1, rejected.stdout);
  assert.match(rejected.stderr, /sm-leaving-.*: in use by ServiceInstance default\/db/);
  assert.match(rejected.stderr, /Delete what uses them/);
  assert.equal(await count(tester, brokers), 2);

  {
    await using _proxy = await platform.startProxy();
    await tester.delete({ ...bindings, name: 'access' });
    await tester.delete({ ...instances, name: 'db' });
    await eventually(async () => (await count(tester, instances)) === 0, { what: 'the instance to go' });
  }
  const stateFile = join(folder.path, 'state.json');
  writeFileSync(stateFile, '{}');
  const left = await leaveByCommand(platform, folder.path, ['--state-file', stateFile]);
  assert.equal(left.code, 0, left.stderr);
  assert.match(left.stdout, /left the platform; brokers deregistered: 1/);
  const names = (await tester.list(brokers)).items.map(({ metadata }) => metadata.name);
  assert.deepEqual(names, ['foreign']);
  const offering = (await tester.list(classes)).items.map(({ spec }) => (spec as { broker: string }).broker);
  assert.deepEqual(offering, ['foreign']);
  assert.equal(await count(tester, brokerSecrets), 0);
  assert.equal(existsSync(stateFile), false);
  await tester.delete({ ...brokers, name: 'foreign' });
});

test('a platform that was deleted for good is cleaned up, also when its proxy was away, and a wrong password cleans nothing up', async () => {
  await using broker = await startTestBroker('removed', ['removed-plan']);
  await using platform = await openPlatform('removed', broker);
  const { tester } = platform;
  {
    await using _proxy = await platform.startProxy();
    await orderAndBind(platform);
  }
  {
    await using proxy = await platform.startProxy('wrong');
    await eventually(() => proxy.health().details['connected'] === false);
    await proxy[Symbol.asyncDispose]();
    assert.equal(await count(tester, brokers), 1);
  }
  await manager.call(`/v1/platforms/${platform.id}?cascade=true`, { method: 'DELETE' });
  await eventually(() => broker.instances.size === 0, { what: 'the cascade to delete the instance' });
  await eventually(async () => (await manager.landscape.request(`/v1/platforms/${platform.id}`)).status === 404);

  await using proxy = await platform.startProxy();
  await eventually(async () => (await count(tester, brokers)) === 0, { what: 'the broker to be deregistered' });
  assert.equal(proxy.health().details['platform_removed'], true);
  assert.equal(await count(tester, classes), 0);
  assert.equal(await count(tester, brokerSecrets), 0);
  for (const ref of [instances, bindings]) {
    const [object] = (await tester.list(ref)).items;
    assert.ok(object);
    await eventually(async () => {
      const current = await tester.get({ ...ref, name: object.metadata.name ?? '' });
      return findCondition(current, 'Ready')?.reason === 'PlatformRemoved';
    });
    await tester.delete({ ...ref, name: object.metadata.name ?? '' });
  }
  for (const ref of [bindings, instances])
    await eventually(async () => (await count(tester, ref)) === 0, { what: `${ref.plural} to go without a broker` });
});
