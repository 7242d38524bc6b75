import type { Reach } from '../access/reach.ts';

/** A part of a collection: a namespace (empty for cluster-scoped objects), or single objects of it. */
export interface VisiblePart {
  readonly namespace: string;
  /** Sorted. Undefined: all of them. */
  readonly names?: readonly string[];
}

/** What of a collection exists at all for those who ask. */
export interface Confines {
  /** Those whose objects exist. Undefined: all. */
  readonly namespaces?: ReadonlySet<string>;
  /** The cluster-scoped objects that exist. Undefined: all. */
  readonly names?: ReadonlySet<string>;
}

/** The parts of a collection of namespaced objects that are within reach, in key order; undefined: all of it. */
export function namespacedParts(reach: Reach, { namespaces }: Confines): readonly VisiblePart[] | undefined {
  if (reach.isEverywhere) return namespaces && sorted(namespaces).map(namespace => ({ namespace }));
  const isIn = (namespace: string): boolean => namespace !== '' && (namespaces?.has(namespace) ?? true);
  return sorted(new Set([...reach.namespaces, ...reach.names.keys()]))
    .filter(isIn)
    .map(namespace => (reach.namespaces.has(namespace) ? { namespace } : part(namespace, reach)));
}

/** The parts of a collection of cluster-scoped objects that are within reach; undefined: all of it. */
export function clusterScopedParts(reach: Reach, { names }: Confines): readonly VisiblePart[] | undefined {
  if (reach.isEverywhere) return names && partOf('', sorted(names));
  const own = sorted(reach.names.get('') ?? []).filter(name => names?.has(name) ?? true);
  return partOf('', own);
}

/** The Namespace objects within reach: a right in a namespace holds for the Namespace itself too. */
export function namespaceParts(reach: Reach, { namespaces }: Confines): readonly VisiblePart[] | undefined {
  const names = new Set([...(reach.names.get('') ?? []), ...reach.namespaces]);
  return clusterScopedParts({ ...reach, names: new Map([['', names]]) }, namespaces ? { names: namespaces } : {});
}

/** What of the parts is in the namespace and of the name that a request asks for. */
export function narrowParts(
  parts: readonly VisiblePart[],
  { namespace, name }: { readonly namespace?: string; readonly name?: string },
): readonly VisiblePart[] {
  return parts
    .filter(part => namespace === undefined || part.namespace === namespace)
    .filter(({ names }) => name === undefined || (names?.includes(name) ?? true))
    .map(part => (name === undefined ? part : { namespace: part.namespace, names: [name] }));
}

const part = (namespace: string, { names }: Reach): VisiblePart => ({
  namespace,
  names: sorted(names.get(namespace) ?? []),
});

const partOf = (namespace: string, names: readonly string[]): readonly VisiblePart[] =>
  names.length === 0 ? [] : [{ namespace, names }];

const sorted = (texts: Iterable<string>): string[] => [...texts].sort();
