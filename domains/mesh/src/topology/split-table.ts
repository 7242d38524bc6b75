import type { KubeObject } from '@chandlery/api';
import type { Informer } from '@chandlery/runtime';
import type { SmiTrafficSplit } from '../kinds/smi/traffic-split.ts';
import { type ServiceKey, serviceKey } from '../model/service-name.ts';
import type { HttpMatch, TrafficSplit } from '../model/topology.ts';
import { KeyIndex } from './key-index.ts';
import { chooseSplit, resolveSplit } from './resolve-split.ts';

export interface SplitTableOptions {
  readonly splits: Informer<SmiTrafficSplit>;
  readonly groupMatches: (namespace: string, name: string) => readonly HttpMatch[];
  /** Called with the root and the backends of a changed split. */
  readonly onChange: (services: readonly ServiceKey[]) => void;
}

/** The splits by root. The cost of a change is proportional to the backends of the split. */
export class SplitTable {
  readonly #options: SplitTableOptions;
  readonly #byRoot = new Map<ServiceKey, TrafficSplit>();
  readonly #rootsOfBackend = new KeyIndex();

  constructor(options: SplitTableOptions) {
    this.#options = options;
    const { splits } = options;
    splits.addIndex('root', split => [rootOf(split)]);
    splits.addIndex('group', ({ metadata, spec }) =>
      (spec.matches ?? []).map(({ name }) => `${metadata.namespace}/${name}`),
    );
    splits.listen({
      added: split => this.#read(rootOf(split)),
      updated: (split, previous) => {
        for (const root of new Set([rootOf(previous), rootOf(split)])) this.#read(root);
      },
      deleted: split => this.#read(rootOf(split)),
    });
  }

  list(): Iterable<TrafficSplit> {
    return this.#byRoot.values();
  }

  of(root: ServiceKey): TrafficSplit | undefined {
    return this.#byRoot.get(root);
  }

  to(backend: ServiceKey): readonly TrafficSplit[] {
    return [...this.#rootsOfBackend.get(backend)].flatMap(root => this.#byRoot.get(root) ?? []);
  }

  /** To be called when an HTTPRouteGroup has changed. */
  readGroup({ metadata }: KubeObject): void {
    const users = this.#options.splits.byIndex('group', `${metadata.namespace}/${metadata.name}`);
    for (const root of new Set(users.map(rootOf))) this.#read(root);
  }

  #read(root: ServiceKey): void {
    const { splits, groupMatches, onChange } = this.#options;
    const chosen = chooseSplit(splits.byIndex('root', root));
    const next = chosen && resolveSplit(chosen, groupMatches);
    const before = this.#byRoot.get(root);
    if (JSON.stringify(before) === JSON.stringify(next)) return;
    this.#rootsOfBackend.delete(backendsOf(before), root);
    this.#rootsOfBackend.add(backendsOf(next), root);
    if (next === undefined) this.#byRoot.delete(root);
    else this.#byRoot.set(root, next);
    onChange([root, ...backendsOf(before), ...backendsOf(next)]);
  }
}

const rootOf = ({ metadata: { namespace = '' }, spec }: SmiTrafficSplit): ServiceKey =>
  serviceKey({ namespace, name: spec.service });

const backendsOf = (split: TrafficSplit | undefined): ServiceKey[] =>
  (split?.backends ?? []).map(({ service }) => serviceKey(service));
