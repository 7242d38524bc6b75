import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { eventually, findEnvoy, freePorts, tempFolder } from '@chandlery/testing';
import type { TrafficMetrics } from '../../domains/mesh/src/facade/traffic-metrics.ts';
import { resourceTypes } from '../../domains/mesh/src/model/resource.ts';
import {
  inboundListenerName,
  outboundListenerName,
  passthroughClusterName,
  secretNames,
  workloadSecret,
} from '../../domains/mesh/src/model/resource-names.ts';
import { inboundRoutesName, localClusterName } from '../../domains/mesh/src/resources/inbound/compile-inbound.ts';
import { allowCalls, declareService, setEndpoints, setSplit } from '../conformance/xds/support/declare-service.ts';
import {
  type MeshLandscape,
  namespace,
  portName,
  refs,
  startMeshLandscape,
  tenant,
} from '../conformance/xds/support/mesh-landscape.ts';
import { typeStatus } from '../conformance/xds/support/type-status.ts';
import { runCli } from '../durability/support/run-cli.ts';
import { type Envoy, type EnvoyConfig, startEnvoy, validateBootstrap } from './support/envoy.ts';
import { writeBootstrap } from './support/envoy-bootstrap.ts';
import { callPlainly, type HttpVersion, httpVersions, startPlainWorkload } from './support/plain-workload.ts';

const found = await findEnvoy();
const binary = found.path ?? '';

const nodeId = 'web-1';
const patience = { timeoutMs: 20_000 };

// Connections are not redirected here. One to Envoy's own port counts as sent there, so the workload is a service of
// just these ports, each on another address: it calls itself, out of Envoy and into it again.
const [adminPort = 0, outboundPort = 0, inboundPort = 0] = await freePorts(3);
const outbound = { host: '127.0.0.2', port: outboundPort };
const inbound = { host: '127.0.0.3', port: inboundPort };
const workload = { host: '127.0.0.1', port: inbound.port };

const webPorts = [
  { name: 'http', port: outbound.port, targetPort: inbound.port },
  { name: 'raw', port: 9000 },
];
const databasePorts = [{ name: 'postgres', port: 5432 }];
const booksPort = portName('books');
const databasePort = portName('database', 5432);

/** A workload with inbound and outbound calls over HTTP and TCP, and a split. */
async function declareShop({ client, landscape }: MeshLandscape): Promise<void> {
  const made = await landscape.cluster(tenant).kubectl(['create', 'serviceaccount', 'web', '-n', namespace]);
  assert.equal(made.code, 0, made.stderr);
  const itself = [{ ip: inbound.host }];
  await declareService(client, { name: 'web', ports: webPorts, address: outbound.host, endpoints: itself });
  await allowCalls(client, { name: 'web', from: ['web'], to: 'web', pathRegex: '/open' });
  await allowCalls(client, { name: 'steady', from: ['web'], to: 'web', pathRegex: '/steady' });
  await allowCalls(client, { name: 'admin', from: ['admin'], to: 'web', pathRegex: '/admin' });
  for (const [index, name] of ['books', 'books-v1', 'books-v2'].entries()) {
    const endpoints = [{ ip: `10.1.0.${index}` }];
    await declareService(client, { name, address: `10.96.0.1${index}`, endpoints });
    await allowCalls(client, { name, from: ['web'], to: name });
  }
  await setSplit(client, 'books', { 'books-v1': 90, 'books-v2': 10 });
  const database = [{ ip: '10.1.2.1' }];
  await declareService(client, { name: 'database', ports: databasePorts, address: '10.96.0.20', endpoints: database });
  await allowCalls(client, { name: 'database', from: ['web'], to: 'database' });
}

const portFlags = ['--admin-port', adminPort, '--outbound-port', outbound.port, '--inbound-port', inbound.port];

const clusters = [
  booksPort,
  portName('books-v1'),
  portName('books-v2'),
  databasePort,
  portName('web', 9000),
  portName('web', outbound.port),
  localClusterName({ tenant, port: 9000 }),
  localClusterName({ tenant, port: inbound.port }),
  passthroughClusterName,
].toSorted();

/** Envoy's counters of rejections, by type. */
const rejections = [
  /^cluster_manager\.cds\.update_rejected$/,
  /^cluster\.shop-mesh\/.*\.update_rejected$/,
  /^listener_manager\.lds\.update_rejected$/,
  /^http\..*\.rds\..*\.update_rejected$/,
  /^sds\..*\.update_rejected$/,
];

function describeEnvoy(mode: string, flags: readonly string[]): void {
  describe(`Envoy with ${mode}`, () => {
    let mesh: MeshLandscape;
    let envoy: Envoy;
    let bootstrap: string;
    const stack = new AsyncDisposableStack();
    const bootstrapIn = (dir: string): Promise<string> =>
      writeBootstrap(mesh, { account: 'web', nodeId, dir, flags: [...portFlags.map(String), ...flags] });

    before(async () => {
      const folder = stack.use(await tempFolder('chandlery-envoy-'));
      mesh = stack.use(await startMeshLandscape());
      await declareShop(mesh);
      bootstrap = await bootstrapIn(folder.join('web'));
      envoy = stack.use(await startEnvoy({ binary, bootstrap, adminPort }));
      stack.use(await startPlainWorkload(workload.host, workload.port));
    });
    after(() => stack.disposeAsync());

    /** Envoy has applied its whole configuration, and the control plane knows it. */
    async function assertInSync(): Promise<true> {
      assert.deepEqual((await envoy.config()).unfinished, []);
      for (const type of resourceTypes) {
        const { state, isInFlight } = await typeStatus(mesh, nodeId, type);
        assert.deepEqual({ type, state, isInFlight }, { type, state: 'SYNCED', isInFlight: false });
      }
      return true;
    }
    async function settled(): Promise<void> {
      await eventually(assertInSync, { ...patience, what: 'Envoy to be in sync' });
      for (const pattern of rejections) {
        const counters = await envoy.counters(pattern);
        assert.ok(counters.length > 0, `no counter is called like ${pattern}`);
        const refused = counters.filter(({ value }) => value > 0);
        assert.deepEqual(refused, [], envoy.log());
      }
    }

    const reaches = async (what: string, is: (config: EnvoyConfig) => boolean): Promise<void> => {
      await eventually(async () => is(await envoy.config()), { ...patience, what });
      await settled();
    };
    const call = (version: HttpVersion, path: string) =>
      callPlainly(version, { ...outbound, path, authority: `web.${namespace}` });

    test('accepts its bootstrap as valid', async () => {
      const { code, stderr } = await validateBootstrap(binary, bootstrap);
      assert.equal(code, 0, stderr);
    });

    test('applies its whole configuration, and rejects nothing', async () => {
      await settled();
      const { activeClusters, activeListeners } = await envoy.config();
      assert.deepEqual(activeClusters, clusters);
      assert.deepEqual(activeListeners, [inboundListenerName, outboundListenerName]);
      assert.deepEqual(await envoy.endpoints(databasePort), ['10.1.2.1:5432']);
    });

    for (const version of httpVersions)
      test(`forwards HTTP/${version} out and in, and allows the requests of a policy`, async () => {
        assert.deepEqual(await call(version, '/open'), { status: 200, body: version });
        assert.equal((await call(version, '/admin')).status, 403);
        assert.equal((await call(version, '/unheard-of')).status, 404);
      });

    test('rejects escaped slashes, and compares paths in one form: a policy for one path opens no other', async () => {
      const explained = async (path: string): Promise<string> => {
        const query = new URLSearchParams({ from: `${namespace}/web`, to: `${namespace}/web`, method: 'GET', path });
        const answer = await mesh.landscape.request(`/mesh/v1/meshes/${tenant}/explain?${query}`);
        return answer.json<{ verdict: string }>().verdict;
      };
      for (const [path, status] of [
        ['/open/..%2fadmin', 400],
        ['/open%2F..%2Fadmin', 400],
        ['/open%5c..%5Cadmin', 400],
        ['/open/../admin', 403],
        ['/open/%2e%2e/admin', 403],
        ['/open/..;/admin', 403],
        ['//open', 200],
        ['/%6fpen', 200],
        ['/admin/../open', 200],
      ] as const) {
        assert.equal((await call('1.1', path)).status, status, path);
        assert.equal(await explained(path), status === 200 ? 'allowed' : 'denied', `mesh explain ${path}`);
      }
    });

    test('leads to a service whatever the request calls it, also with a trailing dot: its address decides', async () => {
      const name = `web.${namespace}`;
      for (const authority of [
        name,
        `${name}.`,
        `${name}.svc.cluster.local`,
        `${name}.svc.cluster.local.`,
        'web',
        'alias',
      ])
        assert.equal((await callPlainly('1.1', { ...outbound, path: '/open', authority })).status, 200, authority);
    });

    test('has its roots from the stream and its certificate from its folder, and keys are never shown', async () => {
      const { activeSecrets, text } = await envoy.config();
      const { inboundRoots, outboundRoots } = secretNames;
      for (const name of [workloadSecret.name, inboundRoots, outboundRoots({ namespace, name: 'books' })])
        assert.ok(activeSecrets.includes(name), name);
      assert.match(text, /BEGIN CERTIFICATE/);
      assert.doesNotMatch(text, /PRIVATE KEY/);
      const flagsOfMesh = ['--mesh', tenant, '--kubeconfig', mesh.landscape.kubeconfig];
      const { stdout } = await runCli('mesh', 'config', nodeId, ...flagsOfMesh);
      assert.ok(stdout.includes(inboundRoots), stdout);
      assert.doesNotMatch(stdout, /PRIVATE KEY/);
    });

    test('shows the certificate in its folder, of which only its owner can read the key, and the next without a restart', async () => {
      const serial = async (): Promise<string> =>
        new X509Certificate(await readFile(`${dirname(bootstrap)}/workload-cert.pem`)).serialNumber.toLowerCase();
      const first = await serial();
      assert.equal((await stat(`${dirname(bootstrap)}/key.pem`)).mode & 0o777, 0o600);
      assert.ok((await envoy.serials()).includes(first));
      await bootstrapIn(dirname(bootstrap));
      const second = await serial();
      assert.notEqual(second, first);
      await eventually(async () => (await envoy.serials()).includes(second), { ...patience, what: 'the next one' });
      assert.equal((await call('1.1', '/open')).status, 200);
    });

    test('follows a change of endpoints', async () => {
      await setEndpoints(mesh.client, { name: 'books-v1', endpoints: [{ ip: '10.1.3.1' }, { ip: '10.1.3.2' }] });
      const isThere = async (): Promise<true> => {
        assert.deepEqual(await envoy.endpoints(portName('books-v1')), ['10.1.3.1:8080', '10.1.3.2:8080']);
        return true;
      };
      await eventually(isThere, { ...patience, what: 'other endpoints' });
      await settled();
    });

    test('follows a change of a split', async () => {
      assert.match((await envoy.config()).routes(booksPort), /books-v1\|80","weight":90/);
      await setSplit(mesh.client, 'books', { 'books-v1': 30, 'books-v2': 70 });
      await reaches('other weights', ({ routes }) => /books-v1\|80","weight":30/.test(routes(booksPort)));
    });

    test('gives 503 where all weights of a split are 0', async () => {
      await declareService(mesh.client, {
        name: 'web-v2',
        ports: webPorts,
        endpoints: [{ ip: inbound.host }],
        account: 'web',
      });
      await setSplit(mesh.client, 'web', { 'web-v2': 0 });
      const isRefused = async (): Promise<boolean> => (await call('1.1', '/open')).status === 503;
      await eventually(isRefused, { ...patience, what: 'calls to be refused' });
      await mesh.client.delete({ ...refs.splits, namespace, name: 'web' });
      const isServed = async (): Promise<boolean> => (await call('1.1', '/open')).status === 200;
      await eventually(isServed, { ...patience, what: 'calls to be served again' });
      await settled();
    });

    test('follows a change of a policy', async () => {
      await allowCalls(mesh.client, { name: 'web', from: ['web'], to: 'web', pathRegex: '/renamed' });
      const name = inboundRoutesName({ tenant, port: inbound.port });
      await reaches('another path', ({ routes }) => routes(name).includes('/renamed'));
      const isPassed = async (): Promise<boolean> => (await call('2.0', '/renamed')).status === 200;
      await eventually(isPassed, { what: 'calls to be allowed' });
      assert.equal((await call('2.0', '/open')).status, 404);
    });

    test('forgets what it may no longer call', async () => {
      assert.match((await envoy.config()).listener(outboundListenerName), /10\.96\.0\.20/);
      await mesh.client.delete({ ...refs.targets, namespace, name: 'database' });
      const isForgotten = ({ activeClusters, listener }: EnvoyConfig): boolean =>
        !activeClusters.includes(databasePort) && !listener(outboundListenerName).includes('10.96.0.20');
      await reaches('the database to go', isForgotten);
    });

    test('is in sync with a control plane that starts again', async () => {
      await mesh.landscape.restart();
      await settled();
      assert.equal((await call('1.1', '/steady')).status, 200);
    });

    test('reports its calls, which the metrics of the service show by caller', async () => {
      const services = `/clusters/${tenant}/apis/metrics.smi-spec.io/v1alpha1/namespaces/${namespace}/services`;
      const isCounted = async (): Promise<boolean> => {
        // Repeatedly: calls before the request for reports may be missing in them.
        assert.equal((await call('1.1', '/steady')).status, 200);
        const { items } = (await mesh.landscape.request(`${services}/web/edges`)).json<{
          items: readonly TrafficMetrics[];
        }>();
        const { metrics = [] } =
          items.find(({ edge }) => edge.direction === 'from' && edge.resource?.name === 'web') ?? {};
        return metrics.some(({ name, value }) => name === 'success_count' && Number(value) > 0);
      };
      // Envoy reports every ten seconds, and only complete windows of thirty seconds are shown.
      await eventually(isCounted, { timeoutMs: 90_000, pauseMs: 200, what: 'metrics of its calls' });
      const shown = await mesh.landscape.cluster(tenant).kubectl(['get', 'trafficmetrics', '-n', namespace]);
      assert.match(shown.stdout, /^NAME +SUCCESS +FAILURE +WINDOW$/m, shown.stderr);
      assert.match(shown.stdout, /^web +\d+ +\d+ +30s$/m);
    });
  });
}

if (found.path === undefined) test('Envoy', { skip: found.reason }, () => {});
else {
  describeEnvoy('the state of the world', []);
  describeEnvoy('changes', ['--delta']);
}
