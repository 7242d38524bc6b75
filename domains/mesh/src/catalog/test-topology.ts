import { parseServiceKey, type ServiceKey, serviceKey } from '../model/service-name.ts';
import type { ServiceGrant, TrafficSplit, TrafficTarget } from '../model/topology.ts';
import type { MeshTopology, TopologyChange, Unsubscribe } from '../ports.ts';

const named = (key: ServiceKey) => parseServiceKey(key) ?? { namespace: '', name: '' };

/** A topology with the policies of a test, which notifies its listeners immediately. */
export class TestTopology implements MeshTopology {
  readonly synced = Promise.resolve();
  readonly isSynced = true;
  missingKinds: readonly string[] = [];
  isPermissive = false;
  readonly #splits = new Map<ServiceKey, TrafficSplit>();
  readonly #targets = new Map<string, TrafficTarget>();
  readonly #grants = new Map<ServiceKey, readonly ServiceGrant[]>();
  readonly #listeners = new Set<(change: TopologyChange) => void>();

  split(root: ServiceKey, weights: Readonly<Record<ServiceKey, number>> | undefined): void {
    const backends = Object.entries(weights ?? {}).map(([key, weight]) => ({ service: named(key), weight }));
    if (weights === undefined) this.#splits.delete(root);
    else this.#splits.set(root, { source: root, root: named(root), backends });
    this.#tell([root, ...Object.keys(weights ?? {})]);
  }

  /** Allows accounts to call an account; without sources, revokes all access. */
  allow(destination: string, ...sources: string[]): void {
    const http = [{ name: 'all', methods: [], headers: {} }];
    const target = { source: destination, destination: named(destination), sources: sources.map(named), http };
    if (sources.length === 0) this.#targets.delete(destination);
    else this.#targets.set(destination, { ...target, tcpPorts: 'all' });
    this.#tell([], [destination, ...sources]);
  }

  /** Gives accounts access to a service by bindings; without consumers, takes it back. */
  grant(service: ServiceKey, ...consumers: string[]): void {
    const before = this.#grants.get(service) ?? [];
    this.#grants.set(
      service,
      consumers.map(consumer => ({ source: `bound/${consumer.replace('/', '-')}`, consumer: named(consumer) })),
    );
    const accounts = new Set([...before.map(({ consumer }) => serviceKey(consumer)), ...consumers]);
    this.#notify({ services: new Set(), accounts: new Set(), grants: new Map([[service, accounts]]) });
  }

  listTrafficSplits = () => this.#splits.values();
  splitOf: MeshTopology['splitOf'] = root => this.#splits.get(serviceKey(root));
  splitsTo: MeshTopology['splitsTo'] = backend =>
    [...this.#splits.values()].filter(({ backends }) =>
      backends.some(({ service }) => serviceKey(service) === serviceKey(backend)),
    );
  listTrafficTargets = () => this.#targets.values();
  targetsTo: MeshTopology['targetsTo'] = destination => {
    const target = this.#targets.get(serviceKey(destination));
    return target === undefined ? [] : [target];
  };
  targetsFrom: MeshTopology['targetsFrom'] = source =>
    [...this.#targets.values()].filter(({ sources }) => sources.some(one => serviceKey(one) === serviceKey(source)));

  grantsTo: MeshTopology['grantsTo'] = service => this.#grants.get(serviceKey(service)) ?? [];

  subscribe(listener: (change: TopologyChange) => void): Unsubscribe {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
  }

  #tell(services: readonly ServiceKey[], accounts: readonly string[] = []): void {
    this.#notify({ services: new Set(services), accounts: new Set(accounts) });
  }

  #notify(change: TopologyChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
