import { type ErrorCause, fieldCause } from '@chandlery/api';
import type { LogicalCluster, ViewDeclaration } from '../clusters/logical-cluster-kind.ts';

/** What a view serves besides its namespaces and the definitions of its kinds. Equal sets are one object. */
export interface ServedSet {
  /** `group/plural`. */
  readonly resources: ReadonlySet<string>;
}

/** What a LogicalCluster with a view declares, read. */
export interface ViewSpec {
  /** The logical cluster that holds all objects. */
  readonly base: string;
  /** The label by which the base's namespaces belong to the view. */
  readonly label: { readonly key: string; readonly value: string };
  readonly served: ServedSet;
  /** The cluster-scoped objects that are seen, by `group/plural`. Of other resources, all are. */
  readonly objects: ReadonlyMap<string, ReadonlySet<string>>;
}

const maxSets = 10_000;

/** Reads declarations of views; equal sets of resources are kept once, however many views serve them. */
export class ViewReader {
  readonly #sets = new Map<string, WeakRef<ServedSet>>();

  read(declaration: ViewDeclaration): ViewSpec {
    const { base, namespaceSelector, resources = [], objects = [] } = declaration;
    const [key = '', value = ''] = Object.entries(namespaceSelector.matchLabels)[0] ?? [];
    const named = Map.groupBy(objects.map(parseObject), ({ resource }) => resource);
    return {
      base,
      label: { key, value },
      served: this.#setOf([...resources.map(resourceOf), ...named.keys()]),
      objects: new Map([...named].map(([resource, found]) => [resource, new Set(found.map(({ name }) => name))])),
    };
  }

  #setOf(resources: readonly string[]): ServedSet {
    const unique = [...new Set(resources)].sort();
    const text = unique.join(' ');
    const known = this.#sets.get(text)?.deref();
    if (known !== undefined) return known;
    if (this.#sets.size >= maxSets) for (const [old, set] of this.#sets) if (!set.deref()) this.#sets.delete(old);
    const made = { resources: new Set(unique) };
    this.#sets.set(text, new WeakRef(made));
    return made;
  }
}

/** `foos.example.com` or `configmaps` as `group/plural`. */
function resourceOf(text: string): string {
  const dot = text.indexOf('.');
  return dot < 0 ? `/${text}` : `${text.slice(dot + 1)}/${text.slice(0, dot)}`;
}

function parseObject(text: string): { resource: string; name: string } {
  const slash = text.indexOf('/');
  return { resource: resourceOf(text.slice(0, slash)), name: text.slice(slash + 1) };
}

/** What is wrong with a change of a view: only what it serves may become something else. */
export function viewChangeCauses(next: LogicalCluster, live: LogicalCluster): readonly ErrorCause[] {
  const isSame = JSON.stringify(lasting(next)) === JSON.stringify(lasting(live));
  const rule = 'whether it is a view, of which base and which namespaces, cannot change';
  return isSame ? [] : [fieldCause.invalid('spec.view', lasting(next) ?? null, rule)];
}

function lasting({ spec }: LogicalCluster): object | undefined {
  const { base, namespaceSelector } = spec?.view ?? {};
  return spec?.view && { base, namespaceSelector };
}
