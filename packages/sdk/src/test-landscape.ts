import { isError, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import {
  type AccessRequest,
  accessRequests,
  type ClusterRequest,
  clusterRequests,
  clusters,
  systemNamespace,
  tenantNamespace,
} from '@chandlery/clusters/kinds';
import { accessRecords, retainedServices, serviceProviders } from '@chandlery/providers/kinds';
import { createInformer, installKinds } from '@chandlery/runtime';
import { startTestPlane, type TestPlane } from '@chandlery/testing';

const namespaces = { group: '', version: 'v1', plural: 'namespaces' };
const secrets = { group: '', version: 'v1', plural: 'secrets' };
const clusterLabel = 'test.example.org/cluster';

/** A control plane with a scheduler and an access controller that grant everything, unless configured otherwise. */
export interface TestLandscape extends AsyncDisposable {
  readonly plane: TestPlane;
  readonly platform: Client;
  readonly onboarding: Client;
  readonly workload: Client;
  /** Connects by a kubeconfig of this landscape. */
  connect(kubeconfig: string): Client;
  /** Creates a control plane as its controller would; returns a client of its cluster. */
  createControlPlane(namespace: string, name: string, cluster: string): Promise<Client>;
  /** Deletes a control plane without running its controllers. */
  loseControlPlane(namespace: string, name: string): Promise<void>;
  /** Gives new credentials to an AccessRequest. */
  rotate(namespace: string, name: string): Promise<void>;
  /** The kubeconfigs that were connected with. */
  readonly connected: readonly string[];
  /** Processes all requests again, after a change of `isGranting` or `isDenying`. */
  grantAll(): void;
  /** Whether access is granted. Default true. */
  isGranting: boolean;
  /** Whether access is denied. Default false. */
  isDenying: boolean;
}

export interface TestLandscapeOptions {
  /** Logical clusters besides platform, onboarding and workload. Default mcp-a, mcp-b. */
  readonly clusters?: readonly string[];
}

/** Starts a landscape: `await using landscape = await startLandscape()`. */
export async function startLandscape({
  clusters: more = ['mcp-a', 'mcp-b'],
}: TestLandscapeOptions = {}): Promise<TestLandscape> {
  await using stack = new AsyncDisposableStack();
  const plane = stack.use(await startTestPlane({ clusters: ['workload', ...more] }));
  const platform = plane.connect('platform');
  const kinds = [accessRequests, clusterRequests, clusters, serviceProviders, accessRecords].map(({ crd }) => crd);
  await installKinds(platform, kinds, { fieldManager: 'test' });
  await installKinds(plane.connect('onboarding'), [retainedServices.crd], { fieldManager: 'test' });
  await platform.create(namespaces, namespace(systemNamespace)).catch(ignore('AlreadyExists'));
  const landscape = { isGranting: true, isDenying: false };
  const granter = new Granter(platform, landscape);
  const requests = stack.use(createInformer<ClusterRequest>({ client: platform, ref: clusterRequests.ref }));
  const accesses = stack.use(createInformer<AccessRequest>({ client: platform, ref: accessRequests.ref }));
  const place = (request: ClusterRequest): void => granter.work(() => granter.place(request));
  const grant = (request: AccessRequest): void => granter.work(() => granter.grant(request));
  requests.listen({ added: place });
  accesses.listen({ added: grant, updated: grant });
  requests.start();
  accesses.start();
  stack.defer(() => granter.end());
  const connected: string[] = [];
  const all = stack.move();
  return Object.assign(landscape, {
    plane,
    platform,
    onboarding: plane.connect('onboarding'),
    workload: plane.connect('workload'),
    connected,
    grantAll: () => accesses.list().forEach(grant),
    connect: (kubeconfig: string) => {
      connected.push(kubeconfig);
      return plane.connect(/cluster: (\S+)/.exec(kubeconfig)?.[1] ?? '');
    },
    createControlPlane: async (ns: string, name: string, cluster: string) => {
      const home = tenantNamespace(ns, name);
      await platform.create(namespaces, namespace(home));
      const metadata = { name, namespace: home, labels: { [clusterLabel]: cluster } };
      await platform.create(
        { ...clusterRequests.ref, namespace: home },
        clusterRequests.object(metadata, { purpose: 'mcp' }),
      );
      return plane.connect(cluster);
    },
    loseControlPlane: async (ns: string, name: string) => {
      const home = tenantNamespace(ns, name);
      const { items } = await platform.list({ ...accessRequests.ref, namespace: home });
      for (const { metadata } of items)
        await platform.delete({ ...accessRequests.ref, namespace: home, name: metadata.name ?? '' });
      await platform.delete({ ...clusterRequests.ref, namespace: home, name });
    },
    rotate: async (ns: string, name: string) => {
      const request = await platform.get<AccessRequest>({ ...accessRequests.ref, namespace: ns, name });
      await granter.grant(request, 'rotated');
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  });
}

class Granter {
  readonly #platform: Client;
  readonly #mood: { readonly isGranting: boolean; readonly isDenying: boolean };
  #turn: Promise<void> = Promise.resolve();

  constructor(platform: Client, mood: { readonly isGranting: boolean; readonly isDenying: boolean }) {
    this.#platform = platform;
    this.#mood = mood;
  }

  /** Runs tasks one after the other; failures after the end are ignored. */
  work(task: () => Promise<void>): void {
    this.#turn = this.#turn.then(task).catch(() => undefined);
  }

  end(): Promise<void> {
    return this.#turn;
  }

  async place(request: ClusterRequest): Promise<void> {
    const { namespace: home = '', name = '' } = request.metadata;
    const cluster = clusterOf(request);
    const spec = { profile: 'test', purposes: [request.spec.purpose], tenancy: 'Shared' as const };
    await this.#platform
      .create(
        { ...clusters.ref, namespace: systemNamespace },
        clusters.object({ name: cluster, namespace: systemNamespace }, spec),
      )
      .catch(ignore('AlreadyExists'));
    const status = { phase: 'Granted', cluster: { name: cluster, namespace: systemNamespace } };
    await this.#patchStatus(clusterRequests.plural, home, name, status);
  }

  async grant(request: AccessRequest, salt = ''): Promise<void> {
    const { namespace: home = '', name = '', generation = 1, deletionTimestamp } = request.metadata;
    const isDone = request.status?.observedGeneration === generation && salt === '';
    if (this.#mood.isDenying) return this.#deny(home, name);
    if (!this.#mood.isGranting || deletionTimestamp !== undefined || isDone) return;
    const kubeconfig = `cluster: ${await this.#clusterFor(request)}\nsalt: ${salt}\n`;
    const data = { kubeconfig: Buffer.from(kubeconfig).toString('base64') };
    const secret: KubeObject = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `${name}.kubeconfig`, namespace: home },
      data,
    };
    const patch = { type: 'apply', body: secret, force: true } as const;
    const ref = { ...secrets, namespace: home, name: `${name}.kubeconfig` };
    await this.#platform.patch(ref, patch, { fieldManager: 'granter' });
    const granted = { phase: 'Granted', secretRef: { name: ref.name }, observedGeneration: generation };
    await this.#patchStatus(
      accessRequests.plural,
      home,
      name,
      salt === '' ? granted : { ...granted, lastHandledReconcileAt: salt },
    );
  }

  async #clusterFor({ spec: { clusterRef, requestRef } }: AccessRequest): Promise<string> {
    if (clusterRef !== undefined) return clusterRef.name;
    const at = { ...clusterRequests.ref, namespace: requestRef?.namespace ?? '', name: requestRef?.name ?? '' };
    return clusterOf(await this.#platform.get<ClusterRequest>(at));
  }

  #deny(home: string, name: string): Promise<void> {
    const conditions = [{ type: 'Ready', status: 'False', reason: 'Denied', message: 'no such luck' }];
    return this.#patchStatus(accessRequests.plural, home, name, { phase: 'Denied', conditions });
  }

  async #patchStatus(plural: string, home: string, name: string, status: Record<string, unknown>): Promise<void> {
    const ref = { group: clusters.group, version: 'v1alpha1', plural, namespace: home, name, subresource: 'status' };
    await this.#platform.patch(ref, { type: 'merge', body: { status } as never });
  }
}

const clusterOf = ({ metadata, spec }: ClusterRequest): string => metadata.labels?.[clusterLabel] ?? spec.purpose;

const namespace = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

const ignore =
  (code: string) =>
  (error: unknown): undefined => {
    if (!isError(error, code)) throw error;
  };
