import { join } from 'node:path';
import { eventually, startTestLandscape, type TestLandscape } from '@chandlery/testing';
import type { CertificateFiles } from '../../../../domains/mesh/src/agent/certificate-folder.ts';
import { createCsr } from '../../../../domains/mesh/src/certificates/csr/create-csr.ts';
import { compileCache } from '../../../durability/support/landscape-client.ts';
import { type Person, personWith } from '../../provider-validation/support/people.ts';
import type { MeshEnvironment } from './join-mesh.ts';
import { account, backendImage, backends, listOf, namespace, service, shopNamespace } from './shop-manifests.ts';
import { type Shopper, startShopper } from './shopper.ts';

/** The clusters of the shop; the first holds its policies, and its shoppers. */
export const clusterNames = ['east', 'west'] as const;
export type ClusterName = (typeof clusterNames)[number];

export const mesh = 'shop-mesh';

/** An endpoint of a service, as the mesh shows it. */
interface ShownEndpoint {
  readonly port: number;
  readonly health: string;
  readonly cluster: string;
}

/** A client of the control plane, as the mesh shows it. */
interface ShownProxy {
  readonly nodeId: string;
  readonly types: readonly {
    readonly type: string;
    readonly state: string;
    readonly sentVersion?: string;
    readonly ackedVersion?: string;
    readonly counts: { readonly refused: number };
  }[];
}

/** A landscape with two local clusters in one mesh, and the operators of a shop. */
export class ShopWorld implements AsyncDisposable {
  readonly landscape: TestLandscape;
  readonly #stack: AsyncDisposableStack;

  constructor(landscape: TestLandscape, stack: AsyncDisposableStack) {
    this.landscape = landscape;
    this.#stack = stack;
  }

  /** An administrator of a cluster. */
  on(cluster: ClusterName | 'platform'): Person {
    return personWith(this.landscape.kubeconfig, cluster);
  }

  /** Runs backends under a service of the same name. */
  async runBackends(name: string, replicas: number, cluster: ClusterName): Promise<void> {
    const place = this.#place(cluster);
    await this.on(cluster).apply(listOf(account(name), service(name), backends(name, replicas, place)));
  }

  /** Waits until a service has the given number of healthy endpoints on a cluster. */
  async endpoints(name: string, count: number, cluster: ClusterName): Promise<void> {
    let last: readonly ShownEndpoint[] = [];
    const isReached = async (): Promise<boolean> => {
      last = (await this.#shownEndpoints(name)).filter(endpoint => endpoint.cluster === cluster);
      return last.length === count && last.every(({ health }) => health === 'healthy');
    };
    const what = `${count} endpoints of ${name} on ${cluster}`;
    await eventually(isReached, { timeoutMs: 60_000, pauseMs: 20, what }).catch((cause: unknown) => {
      throw new Error(`${String(cause)}; there are ${JSON.stringify(last)}`, { cause });
    });
  }

  /** Whether a service has a healthy endpoint with a port in the first cluster. */
  async isHealthy(name: string, port: number | undefined): Promise<boolean> {
    const endpoints = await this.#shownEndpoints(name);
    return endpoints.some(endpoint => endpoint.port === port && endpoint.health === 'healthy');
  }

  /** The clients of the mesh that have rejected a response, with its type. */
  async refusals(): Promise<{ readonly clients: number; readonly refused: readonly string[] }> {
    const proxies = await this.#shownProxies();
    const refused = proxies.flatMap(({ nodeId, types }) =>
      types.filter(({ counts }) => counts.refused > 0).map(({ type }) => `${nodeId} ${type}`),
    );
    return { clients: proxies.length, refused };
  }

  /** The acknowledged listener versions of the clients, to debug a failure. */
  async listenerVersions(): Promise<string> {
    const proxies = await this.#shownProxies();
    const lines = proxies.flatMap(({ nodeId, types }) =>
      types
        .filter(({ type }) => type === 'listener')
        .map(
          ({ state, sentVersion, ackedVersion }) => `${nodeId} ${state}: sent ${sentVersion}, acked ${ackedVersion}`,
        ),
    );
    return lines.join('; ');
  }

  /** A key and certificate for an account on the first cluster. */
  async certificate(accountName: string): Promise<CertificateFiles> {
    const { csr, privateKey } = createCsr();
    const path = `/mesh/v1/clusters/east/namespaces/${namespace}/serviceaccounts/${accountName}/certificates`;
    const answer = await this.landscape.request(path, { body: { csr } });
    const { certificate, trustBundle } = answer.json<{ certificate: string; trustBundle: string }>();
    return { cert: certificate, key: privateKey, ca: trustBundle };
  }

  async #shownProxies(): Promise<readonly ShownProxy[]> {
    const answer = await this.landscape.request(`/mesh/v1/meshes/${mesh}/proxies`);
    return answer.json<{ items: readonly ShownProxy[] }>().items;
  }

  async #shownEndpoints(name: string): Promise<readonly ShownEndpoint[]> {
    const answer = await this.landscape.request(`/mesh/v1/meshes/${mesh}/services/${namespace}/${name}/endpoints`);
    return answer.status === 200 ? answer.json<{ endpoints: ShownEndpoint[] }>().endpoints : [];
  }

  /** Starts a client in the first cluster that calls the catalog. */
  async startShopper(): Promise<Shopper> {
    const token = (await this.on('east').run('create', 'token', 'shopper', '-n', namespace)).trim();
    const environment = { ...this.#place('east'), MESH_ACCOUNT: 'shopper', MESH_NODE_ID: 'shopper' };
    const shopper = await startShopper({
      environment,
      target: 'xds:///shop/catalog',
      authority: 'catalog.shop',
      account: { token, ca: this.landscape.ca, namespace },
    });
    return this.#stack.use(shopper);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }

  #place(cluster: ClusterName): Pick<MeshEnvironment, 'MESH_URL' | 'MESH_XDS_PORT' | 'MESH_CLUSTER'> {
    const { url, xdsPort } = this.landscape;
    return { MESH_URL: url, MESH_XDS_PORT: String(xdsPort), MESH_CLUSTER: cluster };
  }
}

/** Starts a landscape and creates the clusters, the mesh and the shop's namespace on each of them. */
export async function startShopWorld(): Promise<ShopWorld> {
  await using stack = new AsyncDisposableStack();
  const landscape = stack.use(await startTestLandscape());
  const world = new ShopWorld(landscape, stack.move());
  try {
    await world.on('platform').apply(listOf(hostImage, ...clusterNames.map(localCluster), meshObject));
    for (const cluster of clusterNames) {
      await world.on('platform').run('wait', ...untilReady, `cluster/${cluster}`, '-n', 'openmcp-system');
      await eventually(() => world.on(cluster).apply(listOf(shopNamespace, account('shopper'), account('stranger'))), {
        timeoutMs: 30_000,
        what: `cluster ${cluster}`,
      });
    }
    return world;
  } catch (error) {
    await world[Symbol.asyncDispose]();
    throw error;
  }
}

const untilReady = ['--for=jsonpath={.status.phase}=Ready', '--timeout=60s'];

const hostImage = {
  apiVersion: 'clusters.chandlery.io/v1alpha1',
  kind: 'HostImage',
  metadata: { name: 'catalog' },
  spec: {
    image: backendImage,
    command: [process.execPath, join(import.meta.dirname, 'catalog-worker.ts')],
    env: compileCache,
  },
};

const localCluster = (name: string): object => ({
  apiVersion: 'clusters.openmcp.cloud/v1alpha1',
  kind: 'Cluster',
  metadata: { name, namespace: 'openmcp-system' },
  spec: { profile: 'local', purposes: ['workload'], tenancy: 'Exclusive' },
});

const meshObject = {
  apiVersion: 'mesh.chandlery.io/v1alpha1',
  kind: 'Mesh',
  metadata: { name: mesh },
  spec: { clusters: clusterNames.map(name => ({ name, region: name })) },
};
