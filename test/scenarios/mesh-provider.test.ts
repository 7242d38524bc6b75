import assert from 'node:assert/strict';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  eventually,
  freePorts,
  type ProcessResult,
  type RunningProcess,
  runProcess,
  startProcess,
  type TempFolder,
  tempFolder,
} from '@chandlery/testing';
import { type Person, personWith } from './provider-validation/support/people.ts';
import { processesOf } from './support/processes.ts';

const root = join(import.meta.dirname, '../..');
const chandlery = join(root, 'apps/cli/bin/chandlery.mjs');
const withProvider = [join(root, 'examples/mesh-provider/main.ts')];
const withoutProvider = [chandlery, 'up'];
const timeoutMs = 60_000;

const inShop = (name: string) => ({ name, namespace: 'shop' });
const account = (name: string): object => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: inShop(name) });
const target = {
  apiVersion: 'access.smi-spec.io/v1alpha3',
  kind: 'TrafficTarget',
  metadata: inShop('web-reads-books'),
  spec: {
    destination: { kind: 'ServiceAccount', name: 'books', namespace: 'shop' },
    sources: [{ kind: 'ServiceAccount', name: 'web', namespace: 'shop' }],
    rules: [{ kind: 'HTTPRouteGroup', name: 'books', matches: ['read'] }],
  },
};
const shop = {
  apiVersion: 'v1',
  kind: 'List',
  items: [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
    account('books'),
    account('web'),
    account('eve'),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: inShop('books'),
      spec: { ports: [{ name: 'http', port: 80, appProtocol: 'http' }] },
    },
    {
      apiVersion: 'specs.smi-spec.io/v1alpha4',
      kind: 'HTTPRouteGroup',
      metadata: inShop('books'),
      spec: { matches: [{ name: 'read', pathRegex: '/books/.*', methods: ['GET'] }] },
    },
    target,
  ],
};

/** A platform outside Kubernetes and the mesh, with a provider that the landscape is started with. */
describe('A mesh provider that is registered by an option', () => {
  const closing = new AsyncDisposableStack();
  let folder: TempFolder;
  let server: RunningProcess;
  let flags: readonly string[];
  let person: Person;
  let operator: Person;

  const start = async (program: readonly string[]): Promise<void> => {
    const options = { cwd: folder.path, ready: /is ready\./, readyTimeoutMs: timeoutMs };
    server = await startProcess(process.execPath, [...program, ...flags], options);
  };
  /** Replaces the inventory atomically: a partial file cannot be read. */
  const write = async (...hosts: readonly object[]): Promise<void> => {
    const service = { cluster: 'onboarding', serviceAccount: 'books', hosts };
    await writeFile(folder.join('next.json'), JSON.stringify(hosts.length === 0 ? {} : { 'shop/books': service }));
    await rename(folder.join('next.json'), folder.join('inventories/onboarding.json'));
  };
  const host = (ip: string, port: number, state = 'up'): object => ({ ip, port, portName: 'http', state });
  const mesh = (...args: readonly string[]): Promise<ProcessResult> =>
    runProcess(process.execPath, [chandlery, 'mesh', ...args, '--data-dir', folder.join('data')], {
      cwd: folder.path,
      timeoutMs,
    });
  const endpoints = async (): Promise<readonly string[]> => {
    const { code, stdout, stderr } = await mesh('endpoints', 'shop/books', '-o', 'json');
    assert.equal(code, 0, stderr);
    const found = (JSON.parse(stdout) as { endpoints: { ip: string; port: number; health: string }[] }).endpoints;
    return found.map(({ ip, port, health }) => `${ip}:${port} ${health}`);
  };
  const runsAt = (...wanted: readonly string[]): Promise<unknown> =>
    eventually(
      async () => {
        assert.deepEqual(await endpoints(), wanted);
        return true;
      },
      { timeoutMs, what: `endpoints ${wanted.join()}` },
    );
  const explain = async (from: string): Promise<string> => {
    const { code, stdout } = await mesh('explain', `shop/${from}`, 'shop/books', 'GET', '/books/1');
    return `${code} ${stdout.split('\n', 1)[0]}`;
  };
  /** The stored objects of the shop, and the processes of the landscape. */
  const census = async (): Promise<readonly string[]> => {
    const kinds = 'services,endpointslices,serviceaccounts,secrets,traffictargets,httproutegroups,virtualmachinesets';
    const objects = await person.run('get', kinds, '-A', '-o', 'name', '--show-managed-fields=false');
    const access = await operator.run('get', 'accessrequests,clusterrequests,clusters,secrets', '-A', '-o', 'name');
    return [...objects.split('\n'), ...access.split('\n'), ...(await processesOf(server.pid))].sort();
  };

  before(async () => {
    folder = closing.use(await tempFolder());
    await mkdir(folder.join('inventories'));
    await write(host('10.0.0.7', 8080), host('10.0.0.8', 8080, 'draining'));
    const [port, xdsPort] = await freePorts(2);
    flags = ['--data-dir', folder.join('data'), '--port', `${port}`, '--xds-port', `${xdsPort}`];
    await start(withProvider);
    closing.defer(() => server[Symbol.asyncDispose]());
    const kubeconfig = folder.join('data/admin.kubeconfig');
    [person, operator] = [personWith(kubeconfig, 'onboarding'), personWith(kubeconfig, 'platform')];
  });
  after(() => closing.disposeAsync());

  it('provides the endpoints of a service, while the clusters store nothing about it', async () => {
    // A mesh is opened, and gets its root of trust, on first use.
    await runsAt('10.0.0.7:8080 healthy', '10.0.0.8:8080 draining');
    const empty = await census();
    await person.apply(shop);
    const declared = await census();
    await runsAt('10.0.0.7:8080 healthy', '10.0.0.8:8080 draining');
    await write(host('10.9.9.9', 9090));
    await runsAt('10.9.9.9:9090 healthy');
    assert.deepEqual(await census(), declared);
    await person.run('delete', 'namespace', 'shop', '--timeout=60s');
    assert.deepEqual(await census(), empty);
    await person.apply(shop);
  });

  it('does not affect access policies, which need no address or port', async () => {
    await runsAt('10.9.9.9:9090 healthy');
    const judged = async (): Promise<readonly string[]> => [await explain('web'), await explain('eve')];
    const before = await judged();
    assert.match(before[0] ?? '', /^0 /);
    assert.match(before[1] ?? '', /^1 /);
    await write(host('10.0.0.1', 1234));
    await runsAt('10.0.0.1:1234 healthy');
    assert.deepEqual(await judged(), before, 'another address and port');
    const denied = { ...target, spec: { ...target.spec, sources: [{ ...target.spec.sources[0], name: 'eve' }] } };
    await person.apply(denied);
    await eventually(async () => (await explain('eve')).startsWith('0 '), { timeoutMs, what: 'the new policy' });
    await runsAt('10.0.0.1:1234 healthy');
    await person.apply(target);
  });

  it('is rejected when it names no address, and its last data is kept', async () => {
    await write(host('books.example.com', 8080));
    await eventually(async () => /books\.example\.com/.test((await mesh('endpoints', 'shop/books')).stdout), {
      timeoutMs,
      what: 'the reason why the answer is old',
    });
    assert.deepEqual(await endpoints(), ['10.0.0.1:1234 healthy']);
    await write(host('10.0.0.2', 8080));
    await runsAt('10.0.0.2:8080 healthy');
  });

  it('is unknown to a landscape that was started without it, on the same data', async () => {
    await server.stop();
    assert.deepEqual(await processesOf(server.pid), []);
    await start(withoutProvider);
    assert.deepEqual(await endpoints(), []);
    await server.stop();
    await start(withProvider);
    await runsAt('10.0.0.2:8080 healthy');
  });
});
