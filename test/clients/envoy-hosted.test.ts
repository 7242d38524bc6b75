import assert from 'node:assert/strict';
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
import { proxyService } from '../conformance/orders/support/hosted-server.ts';
import { runCli } from '../durability/support/run-cli.ts';
import { type Person, peopleOf } from '../scenarios/provider-validation/support/people.ts';
import { startEnvoy } from './support/envoy.ts';
import { writeBootstrap } from './support/envoy-bootstrap.ts';
import { callPlainly } from './support/plain-workload.ts';

const found = await findEnvoy();
const patience = { timeoutMs: 90_000 };
const tenant = 'acme';
/** Connections are not redirected here: a Service gives the instance an address with the port of the caller's Envoy. */
const called = '127.0.0.61';
const headers = { 'x-chandlery-namespace': tenant, 'x-chandlery-tenant': tenant };

interface Instance {
  readonly id: string;
  readonly name: string;
  readonly ready: boolean;
}

describe('Hosted services of orders, as instances', { skip: found.path === undefined && found.reason }, () => {
  const stack = new AsyncDisposableStack();
  let landscape: TestLandscape;
  let buyer: Person;
  let folder: TempFolder;
  let service: string;
  const ports = { adminPort: 0, outboundPort: 0, inboundPort: 0 };

  before(async () => {
    [ports.adminPort = 0, ports.outboundPort = 0, ports.inboundPort = 0] = await freePorts(3);
    folder = stack.use(await tempFolder('chandlery-hosted-'));
    landscape = stack.use(await startTestLandscape());
    buyer = peopleOf(landscape).tenant;
    await buyer.attempt('create', 'namespace', tenant);
    await buyer.run('create', 'serviceaccount', 'web', '-n', tenant);
    const body = { name: 'pages', description: 'pages', parameters: [], ...proxyService() };
    const made = await landscape.request('/1/services2', { headers, body });
    assert.equal(made.status, 201, made.text);
    service = made.json<{ id: string }>().id.replace(/^.*:/, '');
    const spec = { clusterIP: called, ports: [{ name: 'http', port: ports.outboundPort }] };
    await buyer.apply({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'pages', namespace: tenant }, spec });
    const flags = Object.entries(ports).flatMap(([name, port]) => [`--${name.replace('Port', '-port')}`, String(port)]);
    const account = { namespace: tenant, account: 'web', cluster: 'onboarding', nodeId: 'acme-web' };
    const bootstrap = await writeBootstrap({ landscape }, { ...account, dir: folder.join('web'), flags });
    stack.use(await startEnvoy({ binary: found.path ?? '', adminPort: ports.adminPort, bootstrap }));
  });
  after(() => stack.disposeAsync());

  const chandlery = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runCli(...args, '--data-dir', landscape.dataDir);
    assert.equal(code, 0, `chandlery ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const instances = async (): Promise<readonly Instance[]> =>
    (await landscape.request('/v1/service_instances', { headers })).json<{ items: readonly Instance[] }>().items;
  const listens = async (): Promise<object | undefined> =>
    ((await buyer.find('serviceinstances.brokers.chandlery.io', service, tenant))?.status?.['listens'] as object) ??
    undefined;
  const call = (): Promise<number | 'denied'> =>
    callPlainly('1.1', { host: called, port: ports.outboundPort, path: '/x', authority: 'pages' }).then(
      ({ status }) => status,
      () => 'denied' as const,
    );
  const becomes = (wanted: number | 'denied'): Promise<unknown> =>
    eventually(async () => (await call()) === wanted || undefined, { ...patience, what: `calls to be ${wanted}` });

  test('are ready instances that listen, without an order', async () => {
    const instance = await eventually(async () => (await instances()).find(({ ready }) => ready), {
      ...patience,
      what: 'the instance',
    });
    assert.deepEqual([instance.id, instance.name], [service, 'pages']);
    assert.ok(await listens());
    assert.match(await chandlery('mesh', 'endpoints', 'acme/pages'), /127\.0\.0\.1 +\d+/);
    const order = ['order', 'create', 'web-server', '-n', tenant, '--wait', '--data-dir', landscape.dataDir];
    const { code, stdout, stderr } = await runCli(...order);
    assert.equal(code, 1, stdout);
    assert.match(stderr, /create the service with `service apply`/);
  });

  test('can be called by the account of a binding, until it is deleted', async () => {
    assert.equal(await call(), 'denied', 'before a binding');
    await chandlery('bind', 'pages', 'app', '--consumer', 'acme/web', '--tenant', tenant, '--wait');
    await becomes(200);
    const shown = JSON.parse(await chandlery('get-binding', 'app', '--tenant', tenant, '-o', 'json')) as {
      readonly credentials: Readonly<Record<string, unknown>>;
    };
    assert.equal(shown.credentials['path'], `/1/services2/urn:ivcap:service:${service}/proxy/`);
    assert.match(String(shown.credentials['uri']), /^http:\/\/127\.0\.0\.1:\d+$/);
    const explained = await chandlery('mesh', 'explain', 'acme/web', 'acme/pages', 'GET', '/');
    assert.match(explained, /^ALLOWED: ServiceBinding acme\/\S+ allows it/);
  });

  test('are followed to the address of a new process', async () => {
    const before = await listens();
    const path = `/1/services2/urn:ivcap:service:${service}/proxy/die`;
    await landscape.request(path, { headers });
    await eventually(async () => !isSame(await listens(), before) || undefined, { ...patience, what: 'a new address' });
    await becomes(200);
  });

  test('are closed to the account that lost the binding, and are deleted with the instance', async () => {
    await chandlery('unbind', 'pages', 'app', '--tenant', tenant, '-f', '--wait');
    await becomes('denied');
    await chandlery('deprovision', 'pages', '--tenant', tenant, '-f', '--wait');
    const { status } = await landscape.request(`/1/services2/urn:ivcap:service:${service}`, { headers });
    assert.equal(status, 404);
    assert.deepEqual(
      (await instances()).filter(({ id }) => id === service),
      [],
    );
  });
});

const isSame = (one: object | undefined, other: object | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);
