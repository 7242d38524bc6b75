import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { apply } from '@chandlery/runtime';
import { eventually, startTestPlane } from '@chandlery/testing';
import { smiKinds } from '../kinds/smi/index.ts';
import type { MeshTopology, TopologyChange } from '../ports.ts';
import { createTopology } from './create-topology.ts';

/** A topology on two logical clusters, with what it has told since it was last asked. */
export interface TestTopology extends AsyncDisposable {
  readonly topology: MeshTopology;
  readonly warnings: readonly string[];
  /** Creates or changes an object in the namespace `shop`: of the cluster `east`, which holds the policies, or of `west`. */
  put(kind: keyof typeof places, name: string, body: object, cluster?: 'east' | 'west'): Promise<void>;
  remove(kind: keyof typeof places, name: string, cluster?: 'east' | 'west'): Promise<void>;
  /** Waits for news, and answers all since the last time, `services | accounts`, sorted. */
  news(): Promise<string>;
  /** The same without waiting. */
  readonly unread: number;
}

const places = {
  Service: { group: '', version: 'v1', plural: 'services' },
  TrafficSplit: { group: 'split.smi-spec.io', version: 'v1alpha4', plural: 'trafficsplits' },
  TrafficTarget: { group: 'access.smi-spec.io', version: 'v1alpha3', plural: 'traffictargets' },
  HTTPRouteGroup: { group: 'specs.smi-spec.io', version: 'v1alpha4', plural: 'httproutegroups' },
  TCPRoute: { group: 'specs.smi-spec.io', version: 'v1alpha4', plural: 'tcproutes' },
} as const;

/** Starts one: `await using test = await startTestTopology()`. */
export async function startTestTopology(): Promise<TestTopology> {
  await using stack = new AsyncDisposableStack();
  const plane = stack.use(await startTestPlane({ clusters: ['east', 'west'], kinds: smiKinds }));
  const clients = { east: plane.connect('east'), west: plane.connect('west') };
  for (const client of Object.values(clients)) await createNamespace(client);
  const warnings: string[] = [];
  const topology = stack.use(
    createTopology({
      clusters: Object.entries(clients).map(([name, client]) => ({ name, client })),
      topologyClient: clients.east,
      isPermissive: false,
      logger: { warn: (message: string) => void warnings.push(message) },
    }),
  );
  await topology.synced;
  const changes: TopologyChange[] = [];
  topology.subscribe(change => void changes.push(change));
  const refOf = (kind: keyof typeof places, name: string) => ({ ...places[kind], namespace: 'shop', name });
  const all = stack.move();
  return {
    topology,
    warnings,
    put: async (kind, name, body, cluster = 'east') => {
      const { group, version } = places[kind];
      const apiVersion = group === '' ? version : `${group}/${version}`;
      const object: KubeObject = { apiVersion, kind, metadata: { name, namespace: 'shop' }, ...body };
      await apply(clients[cluster], 'test', [{ plural: places[kind].plural, object }]);
    },
    remove: async (kind, name, cluster = 'east') => {
      await clients[cluster].delete(refOf(kind, name));
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
