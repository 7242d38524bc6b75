import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { silentLogger } from '@chandlery/platform';
import { startTestPlane } from '@chandlery/testing';
import type { ClusterConnection } from './cluster-connection.ts';
import { createManagedObjects } from './create-managed-objects.ts';
import type { Desired, ManagedObjects, ManagedObjectsOptions, OwnerInfo } from './managed-objects.ts';

export const never = new AbortController().signal;

export const ownerA: OwnerInfo = { key: 'tenant/a', instanceId: 'aaaaaaaa', kind: 'Foo' };
export const ownerB: OwnerInfo = { key: 'tenant/b', instanceId: 'bbbbbbbb', kind: 'Foo' };

export const namespace = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

export const configMap = (name: string, data: Record<string, string>, ns = 'default'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: ns },
  data,
});

export const deployment = (name: string, image: string, ns = 'default'): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: ns },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image, resources: { requests: { cpu: '1000m' } } }] },
    },
  },
});

export const on = (cluster: Desired['cluster'], ...objects: KubeObject[]): Desired[] =>
  objects.map(object => ({ cluster, object }));

export const configMapRef = (name: string, ns = 'default') => ({
  group: '',
  version: 'v1',
  plural: 'configmaps',
  namespace: ns,
  name,
});

/** A client that counts its requests, reads included and watches excluded. */
export function countRequests(client: Client): { readonly client: Client; readonly requests: string[] } {
  const requests: string[] = [];
  const counted = ['get', 'list', 'create', 'update', 'patch', 'delete'];
  const proxy = new Proxy(client, {
    get: (target, property) => {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]): unknown => {
        if (counted.includes(String(property))) requests.push(String(property));
        return Reflect.apply(value, target, given) as unknown;
      };
    },
  });
  return { client: proxy, requests };
}

export const connectionTo = (id: string, client: Client): ClusterConnection => ({ id, client, kubeconfig: '' });

export interface ObjectsFixture extends AsyncDisposable {
  readonly mcp: Client;
  readonly workload: Client;
  readonly connections: { readonly mcp: ClusterConnection; readonly workload: ClusterConnection };
  readonly objects: ManagedObjects;
  /** Keys passed to `onDrift`, in order. */
  readonly drifted: string[];
  readonly changed: string[];
  /** Seconds from a deviation to its repair. */
  readonly repaired: number[];
  /** A second instance, as after a restart. */
  restart(options?: Partial<ManagedObjectsOptions>): ManagedObjects;
}

/** Two clusters and managed objects on them. */
export async function startObjectsFixture(): Promise<ObjectsFixture> {
  await using stack = new AsyncDisposableStack();
  const plane = stack.use(await startTestPlane({ clusters: ['mcp', 'workload'] }));
  const [mcp, workload] = [plane.connect('mcp'), plane.connect('workload')];
  const [drifted, changed, repaired]: [string[], string[], number[]] = [[], [], []];
  const create = (options: Partial<ManagedObjectsOptions> = {}): ManagedObjects =>
    createManagedObjects({
      fieldManager: 'provider.foo',
      provider: 'foo',
      onDrift: key => drifted.push(key),
      onChange: key => changed.push(key),
      metrics: { onDriftRepaired: seconds => repaired.push(seconds) },
      logger: silentLogger,
      ...options,
    });
  const objects = stack.use(create());
  const connections = { mcp: connectionTo('mcp', mcp), workload: connectionTo('workload', workload) };
  const all = stack.move();
  return {
    mcp,
    workload,
    connections,
    objects,
    drifted,
    changed,
    repaired,
    restart: options => all.use(create(options)),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
