import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { apply } from '@chandlery/runtime';
import { eventually, startTestPlane } from '@chandlery/testing';
import { smiKinds } from '../kinds/smi/index.ts';
import type { MeshTopology, TopologyChange } from '../ports/mesh-topology.ts';
import { createTopology } from './create-topology.ts';

/** The topology of a logical cluster, with its notifications. */
export interface TestTopology extends AsyncDisposable {
  readonly topology: MeshTopology;
  /** Creates or changes an object in the namespace `shop`. */
  put(kind: keyof typeof places, name: string, body: object): Promise<void>;
  remove(kind: keyof typeof places, name: string): Promise<void>;
  /** Waits for a notification, and returns all since the last call, `services | accounts`, sorted. */
  news(): Promise<string>;
  /** Number of notifications since the last call, without waiting. */
  readonly unread: number;
}

const places = {
  TrafficSplit: { group: 'split.smi-spec.io', version: 'v1alpha4', plural: 'trafficsplits' },
  TrafficTarget: { group: 'access.smi-spec.io', version: 'v1alpha3', plural: 'traffictargets' },
  HTTPRouteGroup: { group: 'specs.smi-spec.io', version: 'v1alpha4', plural: 'httproutegroups' },
  TCPRoute: { group: 'specs.smi-spec.io', version: 'v1alpha4', plural: 'tcproutes' },
} as const;

/** Starts a topology: `await using test = await startTestTopology()`. */
export async function startTestTopology(): Promise<TestTopology> {
  await using stack = new AsyncDisposableStack();
  const plane = stack.use(await startTestPlane({ clusters: ['east'], kinds: smiKinds }));
  const client = plane.connect('east');
  await createNamespace(client);
  const topology = stack.use(
    createTopology({
      topologyClient: client,
      isPermissive: false,
    }),
  );
  await topology.synced;
  const changes: TopologyChange[] = [];
  topology.subscribe(change => void changes.push(change));
  const refOf = (kind: keyof typeof places, name: string) => ({ ...places[kind], namespace: 'shop', name });
  const all = stack.move();
  return {
    topology,
    put: async (kind, name, body) => {
      const { group, version } = places[kind];
      const object: KubeObject = {
        apiVersion: `${group}/${version}`,
        kind,
        metadata: { name, namespace: 'shop' },
        ...body,
      };
      await apply(client, 'test', [{ plural: places[kind].plural, object }]);
    },
    remove: async (kind, name) => {
      await client.delete(refOf(kind, name));
    },
    news: async () => {
      await eventually(() => changes.length > 0, { what: 'news of the topology' });
      const told = changes.splice(0);
      const sorted = (sets: readonly ReadonlySet<string>[]): string =>
        [...new Set(sets.flatMap(set => [...set]))].sort().join(' ');
      return `${sorted(told.map(({ services }) => services))} | ${sorted(told.map(({ accounts }) => accounts))}`;
    },
    get unread() {
      return changes.length;
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function createNamespace(client: Client): Promise<void> {
  const ref = { group: '', version: 'v1', plural: 'namespaces' };
  await client.create(ref, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
}
