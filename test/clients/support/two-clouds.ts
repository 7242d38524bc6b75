import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '@chandlery/api';
import { silentLogger } from '@chandlery/platform';
import { findCondition } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import { electCloudReader } from '../../../domains/mesh/src/controllers/cloud-accounts/elect-cloud-reader.ts';
import { createAzureCloud } from '../../../domains/mesh/src/endpoints/clouds/azure/azure-cloud.ts';
import {
  testSecret as azureSecret,
  startTestAzureServer,
  testSubscription as subscriptionId,
  type TestAzureServer,
  testTenant as tenantId,
} from '../../../domains/mesh/src/endpoints/clouds/azure/test-azure-server.ts';
import { createGoogleCloud } from '../../../domains/mesh/src/endpoints/clouds/google/google-cloud.ts';
import {
  testKey as googleSecret,
  testProject as project,
  startTestGoogleServer,
  type TestGoogleServer,
} from '../../../domains/mesh/src/endpoints/clouds/google/test-google-server.ts';
import type { TestMachine } from '../../../domains/mesh/src/endpoints/clouds/test-cloud-contract.ts';
import { fastRate } from '../../../domains/mesh/src/endpoints/clouds/test-cloud-world.ts';
import { TestTime } from '../../../packages/runtime/src/queue/test-timers.ts';
import { setEndpoints } from '../../conformance/xds/support/declare-service.ts';
import { type MeshLandscape, namespace, object, tenant } from '../../conformance/xds/support/mesh-landscape.ts';
import type { DeclaredMachine } from './declare-machine.ts';

const group = 'mesh.chandlery.io';
const accounts = { group, version: 'v1alpha1', plural: 'cloudaccounts', namespace };
export const zone = 'europe-west1-b';
const stepMs = 1000;

const put = (mesh: MeshLandscape, plural: string, body: KubeObject): Promise<KubeObject> => {
  const [own = '', version = ''] = body.apiVersion === 'v1' ? ['', 'v1'] : [group, 'v1alpha1'];
  const ref = { group: own, version, plural, namespace, name: body.metadata.name ?? '' };
  return mesh.client.patch(ref, { type: 'apply', body, force: true }, { fieldManager: 'test' });
};

async function putAccount(mesh: MeshLandscape, name: string, stringData: object, cloud: object): Promise<void> {
  const metadata = { name, namespace };
  await put(mesh, 'secrets', object('v1', 'Secret', metadata, { stringData }));
  const spec = { ...cloud, credentialsSecret: name, pollSeconds: 30 };
  await put(mesh, 'cloudaccounts', object(`${group}/v1alpha1`, 'CloudAccount', metadata, { spec }));
}

/** Machines of Azure (the first), of Google (the second and the fourth) and of a cluster (the third). */
const cloudOf = (index: number): 'azure' | 'google' | 'cluster' =>
  index === 0 ? 'azure' : index === 2 ? 'cluster' : 'google';

/**
 * Two clouds with machines of `books`, read by a replica in this process, whose time the story lets pass: the landscape
 * waits for its lease.
 */
export class TwoClouds implements AsyncDisposable {
  readonly azure: TestAzureServer;
  readonly google: TestGoogleServer;
  readonly #time = new TestTime();
  readonly #stack: AsyncDisposableStack;
  readonly #machines = new Map<string, TestMachine>();
  #mesh: MeshLandscape | undefined;

  static async start(): Promise<TwoClouds> {
    await using stack = new AsyncDisposableStack();
    const servers = [stack.use(await startTestAzureServer()), stack.use(await startTestGoogleServer())] as const;
    return new TwoClouds(servers, stack.move());
  }

  private constructor([azure, google]: readonly [TestAzureServer, TestGoogleServer], stack: AsyncDisposableStack) {
    this.azure = azure;
    this.google = google;
    this.#stack = stack;
  }

  get nowMs(): number {
    return this.#time.nowMs;
  }

  /** Declares a machine of the story; the fourth does not run yet. */
  async declare(mesh: MeshLandscape, machine: DeclaredMachine, index: number): Promise<void> {
    const { id, address, ports } = machine;
    this.#read(mesh);
    const served = { service: 'books', serviceAccount: 'books', ports };
    const resource = (kind: string, account: string, selected: object): KubeObject =>
      object(`${group}/v1alpha1`, kind, { name: id, namespace }, { spec: { account, ...served, ...selected } });
    const own = { name: id, service: id, ip: address, health: 'healthy' } as const;
    this.#machines.set(id, { ...own, zone: index === 0 ? '1' : zone });
    if (cloudOf(index) === 'cluster') {
      const declared = ports.map(({ name, port }) => ({ name, port, targetPort: port }));
      await setEndpoints(mesh.client, { name: 'books', ports: declared, endpoints: [{ ip: address }] });
      return;
    }
    if (index === 0) await putAccount(mesh, 'azure', azureSecret, { azure: { tenantId, subscriptionId } });
    if (index === 1) await putAccount(mesh, 'google', googleSecret, { google: { project } });
    if (index === 0) await put(mesh, 'azureresources', resource('AzureResource', 'azure', { tags: { app: id } }));
    else await put(mesh, 'googleresources', resource('GoogleResource', 'google', { labels: { app: id } }));
    if (index < 3) this.set(index, 'healthy');
  }

  /** Changes the machine of an index; `gone` deletes it. */
  set(index: number, state: TestMachine['health'] | NonNullable<TestMachine['phase']> | 'gone'): void {
    const id = `books-${index + 1}`;
    const machine = this.#machines.get(id);
    if (machine === undefined) return;
    const cloud = this[index === 0 ? 'azure' : 'google'];
    if (state === 'gone') cloud.setMachines(id, []);
    else if (state === 'starting' || state === 'stopped') cloud.setMachines(id, [{ ...machine, phase: state }]);
    else cloud.setMachines(id, [{ ...machine, health: state }]);
  }

  /** Waits, while a second passes with each look. */
  until<T>(look: () => Promise<T | undefined>, what: string): Promise<T> {
    return eventually(
      async () => {
        this.#time.advance(stepMs);
        return look();
      },
      { timeoutMs: 60_000, what },
    );
  }

  /** Lets time pass, with a moment of real time for each second. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      this.#time.advance(stepMs);
      await sleep(10);
    }
  }

  /** The condition `Ready` of a CloudAccount. */
  accountStatus(name: string): Promise<NonNullable<ReturnType<typeof findCondition>>> {
    return eventually(
      async () => {
        const account = await this.#mesh?.client.get({ ...accounts, name });
        return account && findCondition(account, 'Ready');
      },
      { what: `the status of ${name}` },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  #read(mesh: MeshLandscape): void {
    if (this.#mesh !== undefined) return;
    this.#mesh = mesh;
    const options = { rateLimit: fastRate };
    this.#stack.use(
      electCloudReader({
        ...{ platform: mesh.clientOf('platform'), client: mesh.client, cluster: tenant, replica: 'story' },
        clouds: [
          createAzureCloud({ ...options, endpoint: this.azure.url }),
          createGoogleCloud({ ...options, endpoint: this.google.url }),
        ],
        ...{ clock: this.#time.clock, timers: this.#time, logger: silentLogger },
        mayUseServerCredentials: () => false,
      }),
    );
  }
}
