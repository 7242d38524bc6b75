// Three Envoys behind one service: on a machine of Azure, on one of Google Cloud, and in a Kubernetes cluster.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { eventually, findEnvoy } from '@chandlery/testing';
import {
  testSecret as azureSecret,
  startTestAzureServer,
  testSubscription as subscriptionId,
  type TestAzureServer,
  testTenant as tenantId,
} from '../../domains/mesh/src/endpoints/clouds/azure/test-azure-server.ts';
import {
  testKey as googleSecret,
  testProject as project,
  startTestGoogleServer,
  type TestGoogleServer,
} from '../../domains/mesh/src/endpoints/clouds/google/test-google-server.ts';
import type { TestMachine } from '../../domains/mesh/src/endpoints/clouds/test-cloud-contract.ts';
import { setEndpoints } from '../conformance/xds/support/declare-service.ts';
import { type MeshLandscape, namespace, object, tenant } from '../conformance/xds/support/mesh-landscape.ts';
import { CallLoad } from './support/call-load.ts';
import type { DeclaredMachine } from './support/declare-machine.ts';
import { type MachineMesh, startMachineMesh } from './support/machine-mesh.ts';
import { callPlainly } from './support/plain-workload.ts';

const found = await findEnvoy();
const group = 'mesh.chandlery.io';
const zone = 'europe-west1-b';
const callsPerPhase = 300;

const put = (mesh: MeshLandscape, plural: string, body: KubeObject): Promise<KubeObject> => {
  const [own = '', version = ''] = body.apiVersion === 'v1' ? ['', 'v1'] : [group, 'v1alpha1'];
  const ref = { group: own, version, plural, namespace, name: body.metadata.name ?? '' };
  return mesh.client.patch(ref, { type: 'apply', body, force: true }, { fieldManager: 'test' });
};

async function putAccount(mesh: MeshLandscape, name: string, stringData: object, cloud: object): Promise<void> {
  const metadata = { name, namespace };
  await put(mesh, 'secrets', object('v1', 'Secret', metadata, { stringData }));
  const spec = { ...cloud, credentialsSecret: name, pollSeconds: 5 };
  await put(mesh, 'cloudaccounts', object(`${group}/v1alpha1`, 'CloudAccount', metadata, { spec }));
}

/** The machines of the test, as their clouds describe them. */
class TwoClouds {
  readonly azure: TestAzureServer;
  readonly google: TestGoogleServer;
  readonly #machines = new Map<string, TestMachine>();

  constructor(azure: TestAzureServer, google: TestGoogleServer) {
    this.azure = azure;
    this.google = google;
  }

  /** The first machine is one of Azure, the second one of Google, the third is in the cluster. */
  async declare(mesh: MeshLandscape, machine: DeclaredMachine, index: number): Promise<void> {
    const { id, address, ports } = machine;
    const served = { service: 'books', serviceAccount: 'books', ports };
    const resource = (kind: string, account: string, selected: object): KubeObject =>
      object(`${group}/v1alpha1`, kind, { name: id, namespace }, { spec: { account, ...served, ...selected } });
    this.#machines.set(id, { name: id, service: id, ip: address, zone: index === 0 ? '1' : zone, health: 'healthy' });
    if (index === 0) {
      await putAccount(mesh, 'azure', azureSecret, { azure: { tenantId, subscriptionId } });
      await put(mesh, 'azureresources', resource('AzureResource', 'azure', { tags: { app: id } }));
    } else if (index === 1) {
      await putAccount(mesh, 'google', googleSecret, { google: { project } });
      await put(mesh, 'googleresources', resource('GoogleResource', 'google', { labels: { app: id } }));
    } else {
      const declared = ports.map(({ name, port }) => ({ name, port, targetPort: port }));
      await setEndpoints(mesh.client, { name: 'books', ports: declared, endpoints: [{ ip: address }] });
    }
    this.setHealth(id, 'healthy', index);
  }

  setHealth(id: string, health: TestMachine['health'], index: number): void {
    const machine = this.#machines.get(id);
    if (machine !== undefined && index < 2)
      (index === 0 ? this.azure : this.google).setMachines(id, [{ ...machine, health }]);
  }
}

describe('Machines of two clouds and a cluster behind one service', {
  skip: found.path === undefined && found.reason,
}, () => {
  const stack = new AsyncDisposableStack();
  let clouds: TwoClouds;
  let world: MachineMesh;
  before(async () => {
    clouds = new TwoClouds(stack.use(await startTestAzureServer()), stack.use(await startTestGoogleServer()));
    const testEndpoints = { azure: clouds.azure.url, google: clouds.google.url };
    world = stack.use(
      await startMachineMesh({
        ...{ binary: found.path ?? '', count: 3 },
        landscape: { env: { CHANDLERY_CLOUDS: JSON.stringify({ testEndpoints }) } },
        declare: (mesh, machine, index) => clouds.declare(mesh, machine, index),
      }),
    );
    await showsHealths('healthy', 'healthy', 'healthy');
    const isServed = async (): Promise<boolean> =>
      (await callPlainly('1.1', { ...world.books, path: '/', authority: `books.${namespace}` })).status === 200;
    await eventually(isServed, { timeoutMs: 30_000, what: 'books to be served' });
  });
  after(() => stack.disposeAsync());

  interface Shown {
    readonly endpoints: readonly { readonly ip: string; readonly health: string }[];
    readonly staleProviders: readonly { readonly reason: string }[];
  }
  const show = async (): Promise<Shown> => {
    const path = `/mesh/v1/meshes/${tenant}/services/${namespace}/books/endpoints`;
    return (await world.mesh.landscape.request(path)).json<Shown>();
  };
  /** By address: the machine of Azure, that of Google, that of the cluster. */
  const showsHealths = (...wanted: string[]): Promise<boolean> =>
    eventually(async () => (await show()).endpoints.map(({ health }) => health).join() === wanted.join(), {
      timeoutMs: 60_000,
      what: `endpoints that are ${wanted.join(', ')}`,
    });
  const isOld = (wanted: RegExp | undefined): Promise<boolean> =>
    eventually(
      async () => {
        const reasons = (await show()).staleProviders.map(({ reason }) => reason).join();
        return wanted === undefined ? reasons === '' : wanted.test(reasons);
      },
      { timeoutMs: 60_000, what: `endpoints that are ${wanted === undefined ? 'current' : `old: ${wanted.source}`}` },
    );

  test('no call fails while a machine is drained, stopped and started again', async () => {
    await using calls = new CallLoad({ ...world.books, path: '/', concurrency: 2 });
    await calls.more(callsPerPhase);
    clouds.setHealth('books-1', 'draining', 0);
    await showsHealths('draining', 'healthy', 'healthy');
    await calls.more(callsPerPhase);
    await world.machines[0]?.envoy.kill();
    clouds.azure.setMachines('books-1', []);
    await showsHealths('healthy', 'healthy');
    await calls.more(callsPerPhase);
    await world.machines[0]?.restartEnvoy();
    clouds.setHealth('books-1', 'healthy', 0);
    await showsHealths('healthy', 'healthy', 'healthy');
    await calls.more(callsPerPhase);
    assert.equal(calls.failed, 0, calls.failures);
  });

  test('no call fails while a region, and then an API, cannot be read', async () => {
    await using calls = new CallLoad({ ...world.books, path: '/', concurrency: 2 });
    clouds.google.setUnreachable([zone]);
    await isOld(/europe-west1/);
    await showsHealths('healthy', 'healthy', 'healthy');
    await calls.more(callsPerPhase);
    clouds.google.setUnreachable([]);
    await isOld(undefined);
    clouds.azure.intercept(() => ({ status: 500, body: {} }));
    await isOld(/Azure answered 500/);
    await showsHealths('healthy', 'healthy', 'healthy');
    await calls.more(callsPerPhase);
    clouds.azure.intercept(undefined);
    await isOld(undefined);
    assert.equal(calls.failed, 0, calls.failures);
  });
});
