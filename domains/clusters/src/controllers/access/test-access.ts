import { ChandleryError, isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { type Clock, silentLogger } from '@chandlery/platform';
import { findCondition, installKinds, SharedInformers, type Timers } from '@chandlery/runtime';
import { eventually, startTestPlane, type TestPlane } from '@chandlery/testing';
import {
  type AccessRequest,
  accessRequests,
  type Cluster,
  clusterProfiles,
  clusterRequests,
  clusters,
} from '../../kinds/index.ts';
import { accessHash, accessNamespace, kubeconfigSecretName } from '../../model/access/access-names.ts';
import type { ClusterAddress } from '../../ports.ts';
import type { AccessSource } from './source-listeners.ts';
import { startAccess } from './start-access.ts';

export const tenant = 'tenant';
export const granter = { environment: 'test', provider: 'chandlery' };
export const core = { group: '', version: 'v1' };
export const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' };
export const readPods = [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }];

type Spec = AccessRequest['spec'];

/** The machine's time, which tests can advance: timers in between fire at once. */
export class LeapingTime implements Clock, Timers {
  #leaptMs = 0;
  readonly #pending = new Map<object, { readonly atMs: number; readonly ring: () => void }>();

  now(): Date {
    return new Date(Date.now() + this.#leaptMs);
  }

  after(delayMs: number, call: () => void): () => void {
    const token = {};
    const cancel = (): void => {
      clearTimeout(timer);
      this.#pending.delete(token);
    };
    const ring = (): void => {
      cancel();
      call();
    };
    const timer = setTimeout(ring, Math.min(delayMs, 2 ** 31 - 1));
    this.#pending.set(token, { atMs: this.now().getTime() + delayMs, ring });
    return cancel;
  }

  leap(ms: number): void {
    this.#leaptMs += ms;
    const nowMs = this.now().getTime();
    for (const { atMs, ring } of [...this.#pending.values()]) if (atMs <= nowMs) ring();
  }
}

/**
 * A source whose clusters are logical clusters of the control plane, by the name of the Cluster. Tests break it on
 * purpose.
 */
export class TestSource implements AccessSource {
  readonly #plane: TestPlane;
  readonly #clients = new Map<string, Client>();
  readonly #listeners = new Set<(key: string) => void>();
  #address: ClusterAddress = { server: 'https://landscape:7443/clusters/x', caPem: 'CA' };
  isDown = false;
  /** Wraps the clients of clusters. */
  wrap: (client: Client) => Client = client => client;

  constructor(plane: TestPlane) {
    this.#plane = plane;
  }

  async connect({ metadata: { name = '' } }: Cluster): Promise<Client> {
    if (this.isDown)
      throw new ChandleryError('ConnectionFailed', 'cannot talk to the cluster: no server listens there');
    const client = this.#clients.get(name) ?? this.#plane.connect(name);
    this.#clients.set(name, client);
    return this.wrap(client);
  }

  async address(): Promise<ClusterAddress> {
    return this.#address;
  }

  /** Moves all clusters to another address. */
  move(address: ClusterAddress): void {
    this.#address = address;
    for (const listener of this.#listeners) listener(`${tenant}/alpha`);
  }

  onChange(listener: (key: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/** A platform cluster with the kinds, a ready Cluster `alpha` (and more, by name), and access to both. */
export class TestAccess implements AsyncDisposable {
  readonly plane: TestPlane;
  readonly platform: Client;
  readonly source: TestSource;
  readonly time: LeapingTime;
  #running: AsyncDisposableStack | undefined;

  private constructor(plane: TestPlane, time: LeapingTime) {
    this.plane = plane;
    this.platform = plane.connect('platform');
    this.source = new TestSource(plane);
    this.time = time;
  }

  static async start(clusterNames: readonly string[] = ['alpha']): Promise<TestAccess> {
    const time = new LeapingTime();
    const test = new TestAccess(await startTestPlane({ clock: time, clusters: clusterNames }), time);
    const { platform } = test;
    const kinds = [accessRequests, clusters, clusterRequests, clusterProfiles];
    await installKinds(
      platform,
      kinds.map(({ crd }) => crd),
      { fieldManager: 'test' },
    );
    await platform.create({ ...core, plural: 'namespaces' }, namespace(tenant));
    await platform.create(clusterProfiles.ref, profile);
    for (const name of clusterNames) await test.createCluster(name);
    test.run();
    return test;
  }

  /** Starts the controllers, as a new process would. */
  run(wrap: (client: Client) => Client = client => client): void {
    const stack = new AsyncDisposableStack();
    const informers = stack.use(new SharedInformers());
    const { source, time } = this;
    const options = {
      platform: wrap(this.platform),
      informers,
      sourceOf: () => source,
      clock: time,
      timers: time,
      logger: silentLogger,
    };
    stack.use(startAccess({ ...options, ...granter }));
    this.#running = stack;
  }

  async stop(): Promise<void> {
    await this.#running?.disposeAsync();
    this.#running = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.plane[Symbol.asyncDispose]();
  }

  async createCluster(name: string, status: object = { phase: 'Ready' }): Promise<void> {
    const spec = { profile: 'logical', purposes: ['mcp'], tenancy: 'Exclusive' as const };
    const metadata = { name, namespace: tenant, finalizers: ['clusters.openmcp.cloud/finalizer'] };
    await this.platform.create({ ...clusters.ref, namespace: tenant }, clusters.object(metadata, spec));
    await this.setStatus(clusters.ref, name, status);
  }

  async setStatus(
    ref: { group: string; version: string; plural: string },
    name: string,
    status: object,
  ): Promise<void> {
    const at = { ...ref, namespace: tenant, name, subresource: 'status' };
    await this.platform.patch(at, { type: 'merge', body: { status: { ...status } } });
  }

  /** Creates a request for `alpha`, or another cluster that the spec names. */
  async request(name: string, spec: Partial<Spec>): Promise<void> {
    const ref = spec.requestRef === undefined ? { clusterRef: { name: 'alpha', namespace: tenant } } : {};
    const object = accessRequests.object({ name, namespace: tenant }, { ...ref, ...spec });
    await this.platform.create({ ...accessRequests.ref, namespace: tenant }, object);
  }

  async change(name: string, body: Record<string, never> | object): Promise<void> {
    await this.platform.patch(requestRef(name), { type: 'merge', body: { ...body } });
  }

  read(name: string): Promise<AccessRequest> {
    return this.platform.get<AccessRequest>(requestRef(name));
  }

  /** Waits until a request is in a phase, for its current spec. */
  async phase(name: string, phase: 'Pending' | 'Granted' | 'Denied'): Promise<AccessRequest> {
    return eventually(
      async () => {
        const request = await this.read(name);
        const isCurrent = request.status?.observedGeneration === request.metadata.generation;
        return isCurrent && request.status?.phase === phase ? request : undefined;
      },
      { what: `${name} to be ${phase}` },
    );
  }

  /** Waits until `Ready` has the reason; returns the message. */
  async reason(name: string, reason: string): Promise<string> {
    const condition = await eventually(
      async () => {
        const found = findCondition(await this.read(name), 'Ready');
        return found?.reason === reason && found;
      },
      { what: `${name} to say ${reason}` },
    );
    return condition.message ?? '';
  }

  /** What is in the Secret of a request, in plain text. */
  async secret(name: string): Promise<Record<string, string>> {
    const { data } = await this.platform.get(secretRef(name));
    return Object.fromEntries(
      Object.entries(data as Record<string, string>).map(([key, text]) => [
        key,
        Buffer.from(text, 'base64').toString(),
      ]),
    );
  }

  /**
   * Lets time pass in leaps until the attempt succeeds. One leap may not do: what is decided while it happens counts its
   * delays from after it. Many at once would abort every pass.
   */
  async leapUntil(leapMs: number, attempt: () => Promise<boolean>): Promise<void> {
    for (let left = 10; left > 0; left--) {
      this.time.leap(leapMs);
      const isDone = eventually(attempt, { timeoutMs: left > 1 ? 2000 : 10_000 });
      if (await isDone.catch(error => (left > 1 ? false : Promise.reject(error as Error)))) return;
    }
  }

  async delete(ref: ObjectRef): Promise<void> {
    await this.platform.delete(ref);
  }

  async deleted(name: string): Promise<void> {
    await eventually(async () => !(await exists(this.platform, requestRef(name))), { what: `${name} to be deleted` });
  }

  /** A cluster with the token of a request. */
  as(name: string, cluster = 'alpha'): Client {
    const username = `system:serviceaccount:${accessNamespace}:${accountOf(name)}`;
    return this.plane.connect(cluster, {
      username,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${accessNamespace}`, 'system:authenticated'],
    });
  }

  /** The names of what requests have on a cluster. */
  async things(cluster = 'alpha'): Promise<readonly string[]> {
    const client = this.plane.connect(cluster);
    const names: string[] = [];
    for (const ref of thingRefs) {
      for await (const { metadata } of client.listAll(ref, { labelSelector: 'openmcp.cloud/managed-by=chandlery' }))
        names.push(`${ref.plural} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name}`);
    }
    return names;
  }
}

const thingRefs = [
  { ...core, plural: 'serviceaccounts' },
  ...['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'].map(plural => ({ ...rbac, plural })),
];

const profile = clusterProfiles.object(
  { name: 'logical' },
  { providerRef: { name: 'chandlery' }, providerConfigRef: { name: 'logical' }, supportedVersions: [] },
);

export const accountOf = (name: string): string => accessHash(granter, { namespace: tenant, name });
export const requestRef = (name: string): ObjectRef => ({ ...accessRequests.ref, namespace: tenant, name });
export const secretRef = (name: string): ObjectRef => ({
  ...core,
  plural: 'secrets',
  namespace: tenant,
  name: kubeconfigSecretName(name),
});
export const namespace = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

export async function exists(client: Client, ref: ObjectRef): Promise<boolean> {
  try {
    await client.get(ref);
    return true;
  } catch (error) {
    if (isError(error, 'NotFound')) return false;
    throw error;
  }
}
