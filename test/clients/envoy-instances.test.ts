import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  eventually,
  findEnvoy,
  freePorts,
  startTestLandscape,
  type TempFolder,
  type TestLandscape,
  tempFolder,
} from '@chandlery/testing';
import { runCli } from '../durability/support/run-cli.ts';
import { type Person, peopleOf } from '../scenarios/provider-validation/support/people.ts';
import { type Envoy, startEnvoy } from './support/envoy.ts';
import { writeBootstrap } from './support/envoy-bootstrap.ts';
import { callPlainly, startPlainWorkload } from './support/plain-workload.ts';

const found = await findEnvoy();
const patience = { timeoutMs: 60_000 };

// Connections are not redirected here: one to Envoy's own port counts as sent there, so that Services give the instances
// addresses with the port of the caller's Envoy.
const called = { guarded: '127.0.0.21', plain: '127.0.0.22' } as const;
type Instance = keyof typeof called;

/** Where the instances are: `guarded` behind an Envoy of its account, `plain` without a proxy. */
const addresses = { guarded: '127.0.0.31', plain: '127.0.0.32' } as const;
const [
  adminPort = 0,
  outboundPort = 0,
  inboundPort = 0,
  otherAdmin = 0,
  otherOutbound = 0,
  guardedPort = 0,
  plainPort = 0,
] = await freePorts(7);

describe('Service instances, through Envoys', { skip: found.path === undefined && found.reason }, () => {
  const stack = new AsyncDisposableStack();
  let landscape: TestLandscape;
  let tenant: Person;
  let folder: TempFolder;
  let caller: Envoy;

  before(async () => {
    folder = stack.use(await tempFolder('chandlery-instances-'));
    landscape = stack.use(await startTestLandscape());
    const people = peopleOf(landscape);
    ({ tenant } = people);
    await installProvider(people.operator);
    for (const account of ['acme/web', 'acme/cron', 'acme/guard', 'umbrella/web']) await createAccount(account);
    for (const [name, port] of [['guarded', guardedPort] as const, ['plain', plainPort] as const]) {
      await order(name, port);
      await declareAddress(name);
    }
    stack.use(await startPlainWorkload('127.0.0.1', guardedPort));
    stack.use(await startPlainWorkload(addresses.plain, plainPort));
    const guard = { adminPort: otherAdmin, outboundPort: otherOutbound, inboundPort: guardedPort };
    await openEnvoy('acme/guard', guard);
    caller = await openEnvoy('acme/web', { adminPort, outboundPort, inboundPort });
    // Only their certificates are needed.
    for (const account of ['acme/cron', 'umbrella/web']) await bootstrap(account, []);
  });
  after(() => stack.disposeAsync());

  async function createAccount(account: string): Promise<void> {
    const [namespace = '', name = ''] = account.split('/');
    await tenant.attempt('create', 'namespace', namespace);
    await tenant.run('create', 'serviceaccount', name, '-n', namespace);
  }

  async function order(name: Instance, port: number): Promise<void> {
    const spec = { address: addresses[name], port, ...(name === 'guarded' && { account: 'guard' }) };
    const metadata = { name, namespace: 'acme' };
    await tenant.apply({ apiVersion: `${listeners}/v1alpha1`, kind: 'Listener', metadata, spec });
    await eventually(() => isReady(name), { ...patience, what: `the instance ${name}` });
  }

  async function isReady(name: string): Promise<boolean> {
    const rows = await tenant.list('serviceinstances.brokers.chandlery.io', '-n', 'acme');
    const row = rows.find(({ spec }) => spec?.['name'] === name);
    return row?.status?.['ready'] === true && row.status['listens'] !== undefined;
  }

  const declareAddress = (name: Instance): Promise<string> =>
    tenant.apply({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: 'acme' },
      spec: { clusterIP: called[name], ports: [{ name: 'http', port: outboundPort }] },
    });

  const folderOf = (account: string): string => folder.join(account.replace('/', '-'));

  function bootstrap(account: string, flags: readonly string[]): Promise<string> {
    const [namespace = '', name = ''] = account.split('/');
    const place = { namespace, account: name, cluster: 'onboarding', nodeId: account.replace('/', '-') };
    return writeBootstrap({ landscape }, { ...place, dir: folderOf(account), flags });
  }

  async function openEnvoy(account: string, ports: Readonly<Record<string, number>>): Promise<Envoy> {
    const flags = Object.entries(ports).flatMap(([name, port]) => [`--${name.replace('Port', '-port')}`, String(port)]);
    const options = { binary: found.path ?? '', adminPort: ports['adminPort'] ?? 0 };
    return stack.use(await startEnvoy({ ...options, bootstrap: await bootstrap(account, flags) }));
  }

  const chandlery = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runCli(...args, '--data-dir', landscape.dataDir);
    assert.equal(code, 0, `chandlery ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const bind = (instance: string, name: string, account: string): Promise<string> =>
    chandlery('bind', instance, name, '--consumer', account, '--tenant', 'acme', '--wait');
  const unbind = (instance: string, name: string): Promise<string> =>
    chandlery('unbind', instance, name, '--tenant', 'acme', '-f', '--wait');

  /** Calls an instance through the caller's Envoy. A connection that is closed is a denial. */
  const call = async (name: Instance): Promise<number | 'denied'> => {
    const sent = { host: called[name], port: outboundPort, path: '/', authority: name };
    return callPlainly('1.1', sent).then(
      ({ status }) => status,
      () => 'denied' as const,
    );
  };
  const becomes = (name: Instance, wanted: number | 'denied'): Promise<unknown> =>
    eventually(async () => (await call(name)) === wanted || undefined, {
      ...patience,
      what: `${name} to be ${wanted}`,
    });

  /** Calls the guarded instance past all Envoys of callers, with the certificate of an account. */
  async function callDirectly(account: string): Promise<number | 'denied'> {
    const [key, cert] = await Promise.all(
      ['key.pem', 'workload-cert.pem'].map(file => readFile(join(folderOf(account), file))),
    );
    const target = { host: addresses.guarded, port: guardedPort, ALPNProtocols: ['http/1.1'] };
    const sent = request({ ...target, key, cert, rejectUnauthorized: false, agent: false }).end();
    return once(sent, 'response').then(
      ([response]) => (response as IncomingMessage).statusCode ?? 0,
      () => 'denied' as const,
    );
  }

  test('are services without a declaration, and denied to all before a binding', async () => {
    const shown = await chandlery('mesh', 'endpoints', 'acme/guarded');
    assert.match(shown, new RegExp(`${addresses.guarded} +${guardedPort} .* guard `));
    assert.deepEqual([await call('guarded'), await call('plain')], ['denied', 'denied']);
    for (const account of ['acme/web', 'acme/cron', 'umbrella/web'])
      assert.equal(await callDirectly(account), 'denied', account);
    const direct = { host: addresses.guarded, port: guardedPort, path: '/', authority: 'x' };
    await assert.rejects(callPlainly('1.1', direct), 'its Envoy accepts no plaintext');
  });

  for (const name of ['guarded', 'plain'] as const)
    test(`${name}: can be called by the account of a binding, until it is unbound`, async () => {
      await bind(name, 'app', 'acme/web');
      await becomes(name, 200);
      const explained = await chandlery('mesh', 'explain', 'acme/web', `acme/${name}`, 'GET', '/');
      assert.match(explained, /^ALLOWED: ServiceBinding acme\/\S+ allows it/);
      if (name === 'guarded')
        assert.deepEqual(await Promise.all(['acme/web', 'acme/cron', 'umbrella/web'].map(callDirectly)), [
          200,
          'denied',
          'denied',
        ]);
      assert.equal(await call(name === 'plain' ? 'guarded' : 'plain'), 'denied', 'the other instance stays closed');
      await unbind(name, 'app');
      await becomes(name, 'denied');
      if (name === 'guarded')
        await eventually(async () => (await callDirectly('acme/web')) === 'denied', {
          ...patience,
          what: 'the guard to deny',
        });
      assert.equal(
        (await runCli('mesh', 'explain', 'acme/web', `acme/${name}`, '--data-dir', landscape.dataDir)).code,
        1,
      );
    });

  test('are never opened by another tenant, to another tenant, or by a binding that is not ready', async () => {
    const [row] = (await tenant.list('serviceinstances.brokers.chandlery.io', '-n', 'acme')).filter(
      ({ spec }) => spec?.['name'] === 'guarded',
    );
    const instanceId = row?.metadata.name ?? '';
    const binding = (namespace: string, account: string) => ({
      apiVersion: 'brokers.chandlery.io/v1alpha1',
      kind: 'ServiceBinding',
      metadata: { name: 'thief', namespace },
      spec: { instanceId, bindResource: { service_account: account } },
    });
    await tenant.apply(binding('umbrella', 'umbrella/web'));
    await tenant.run(
      'wait',
      'sbd/thief',
      '-n',
      'umbrella',
      '--for=jsonpath={.status.conditions[0].reason}=InstanceNotFound',
    );
    // As if the tenant might write the status of its bindings.
    const forged = JSON.stringify({ status: { ready: true } });
    await tenant.run('patch', 'sbd', 'thief', '-n', 'umbrella', '--subresource=status', '--type=merge', '-p', forged);
    // A tenant may not add anything to the proxies of another one, not even its own instances.
    await bind('guarded', 'gift', 'umbrella/web');
    await bind('guarded', 'own', 'acme/cron');
    await eventually(async () => (await callDirectly('acme/cron')) === 200, { ...patience, what: 'the last binding' });
    assert.equal(await callDirectly('umbrella/web'), 'denied');
    assert.equal(await call('guarded'), 'denied');
    const stranger = (await tenant.run('create', 'token', 'web', '-n', 'umbrella')).trim();
    const shown = await landscape.request(`/mesh/v1/instances/acme/${instanceId}`, { token: stranger });
    assert.equal(shown.status, 403, shown.text);
    for (const name of ['gift', 'own']) await unbind('guarded', name);
  });

  test('that are shared can be called with bindings of references', async () => {
    const { items } = JSON.parse(await chandlery('list-instances', '--tenant', 'acme', '-o', 'json')) as {
      readonly items: readonly { readonly id: string; readonly name: string }[];
    };
    const id = items.find(({ name }) => name === 'guarded')?.id ?? '';
    const headers = { 'x-chandlery-tenant': 'acme' };
    const shared = { method: 'PATCH', headers, body: { shared: true } };
    assert.equal((await landscape.request(`/v1/service_instances/${id}`, shared)).status, 200);
    const parameters = JSON.stringify({ referenced_instance_id: id });
    await chandlery(
      'provision',
      'copy',
      'listener',
      'reference-instance',
      '--tenant',
      'acme',
      '-c',
      parameters,
      '--wait',
    );
    await bind('copy', 'app', 'acme/web');
    await becomes('guarded', 200);
    await unbind('copy', 'app');
    await becomes('guarded', 'denied');
    assert.deepEqual((await caller.config()).unfinished, []);
  });
});

const listeners = 'listeners.services.open-control-plane.io';

async function installProvider(operator: Person): Promise<void> {
  const name = 'listeners';
  const image = 'example.com/listeners';
  const folder = join(import.meta.dirname, 'support/listening-provider');
  const spec = { image, folder, command: ['node', './main.ts'] };
  await operator.apply({ apiVersion: 'clusters.chandlery.io/v1alpha1', kind: 'HostImage', metadata: { name }, spec });
  const provider = { apiVersion: 'openmcp.cloud/v1alpha1', kind: 'ServiceProvider', metadata: { name } };
  await operator.apply({ ...provider, spec: { image: `${image}:v1` } });
  await operator.run('wait', '--for=condition=Initialized', `serviceprovider/${name}`, '--timeout=60s');
  await operator.apply({ apiVersion: `${listeners}/v1alpha1`, kind: 'ProviderConfig', metadata: { name }, spec: {} });
  await operator.run('wait', '--for=condition=Ready', `serviceprovider/${name}`, '--timeout=60s');
}
