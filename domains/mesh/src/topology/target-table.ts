import type { KubeObject } from '@chandlery/api';
import type { Informer } from '@chandlery/runtime';
import type { SmiTrafficTarget } from '../kinds/smi/traffic-target.ts';
import { serviceKey } from '../model/service-name.ts';
import type { TrafficTarget } from '../model/topology.ts';
import { KeyIndex } from './key-index.ts';
import { type Routes, resolveTarget } from './resolve-target.ts';

export interface TargetTableOptions {
  readonly targets: Informer<SmiTrafficTarget>;
  readonly routes: Routes;
  /** Called with the destination and the sources of a changed target. */
  readonly onChange: (accounts: readonly string[]) => void;
}

/** The targets by destination and source. The cost of a change is proportional to the sources of the target. */
export class TargetTable {
  readonly #options: TargetTableOptions;
  readonly #targets = new Map<string, TrafficTarget>();
  readonly #byDestination = new KeyIndex();
  readonly #bySource = new KeyIndex();

  constructor(options: TargetTableOptions) {
    this.#options = options;
    const { targets } = options;
    targets.addIndex('rule', ({ metadata, spec }) =>
      spec.rules.map(({ kind, name }) => `${kind} ${metadata.namespace}/${name}`),
    );
    targets.listen({
      added: target => this.#read(target),
      updated: target => this.#read(target),
      deleted: target => this.#read(target),
    });
  }

  list(): Iterable<TrafficTarget> {
    return this.#targets.values();
  }

  to(account: string): readonly TrafficTarget[] {
    return this.#find(this.#byDestination.get(account));
  }

  from(account: string): readonly TrafficTarget[] {
    return this.#find(this.#bySource.get(account));
  }

  /** To be called when a route has changed. */
  readRoute(kind: 'HTTPRouteGroup' | 'TCPRoute', { metadata }: KubeObject): void {
    const users = this.#options.targets.byIndex('rule', `${kind} ${metadata.namespace}/${metadata.name}`);
    for (const target of users) this.#read(target);
  }

  #read({ metadata: { namespace = '', name = '' } }: KubeObject): void {
    const { targets, routes, onChange } = this.#options;
    const key = `${namespace}/${name}`;
    const present = targets.get(namespace, name);
    const next = present && resolveTarget(present, routes);
    const before = this.#targets.get(key);
    if (JSON.stringify(before) === JSON.stringify(next)) return;
    this.#byDestination.delete(destinationOf(before), key);
    this.#bySource.delete(sourcesOf(before), key);
    this.#byDestination.add(destinationOf(next), key);
    this.#bySource.add(sourcesOf(next), key);
    if (next === undefined) this.#targets.delete(key);
    else this.#targets.set(key, next);
    onChange([...destinationOf(before), ...sourcesOf(before), ...destinationOf(next), ...sourcesOf(next)]);
  }

  #find(keys: Iterable<string>): readonly TrafficTarget[] {
    return [...keys]
      .flatMap(key => this.#targets.get(key) ?? [])
      .sort((one, other) => (one.source < other.source ? -1 : 1));
  }
}

const destinationOf = (target: TrafficTarget | undefined): string[] =>
  target === undefined ? [] : [serviceKey(target.destination)];

const sourcesOf = (target: TrafficTarget | undefined): string[] => (target?.sources ?? []).map(serviceKey);
