import type { ListQuery } from './store.ts';

/** Where in one collection a list begins; `namespace` limits it to that one. */
export interface CollectionScope {
  readonly namespace: string | undefined;
  /** Strictly after this key. */
  readonly after: { readonly namespace: string; readonly name: string };
}

const beginning = { namespace: '', name: '' } as const;

/** The part of a cluster's collection that a query still has to read; undefined when its page lies beyond. */
export function scopeWithin(cluster: string, { namespace, after }: ListQuery): CollectionScope | undefined {
  const place = after === undefined ? 1 : compareBytes(cluster, after.cluster);
  if (place < 0) return undefined;
  if (place > 0 || after === undefined) return { namespace, after: { ...beginning, namespace: namespace ?? '' } };
  const step = namespace === undefined ? 0 : compareBytes(namespace, after.namespace);
  if (step < 0) return undefined;
  if (step > 0) return { namespace, after: { namespace: namespace ?? '', name: '' } };
  return { namespace, after: { namespace: after.namespace, name: after.name } };
}

/** Compares texts by their UTF-8 bytes, as the databases do; JavaScript's own order differs beyond U+FFFF. */
export function compareBytes(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** True when every object of the scope is wanted, so that the rest can be counted without reading it. */
export const isPlain = ({ terms, filter }: ListQuery): boolean => (terms ?? []).length === 0 && filter === undefined;

/** True when the number of objects after a page is wanted and can be counted without reading them. */
export const isCountable = (query: ListQuery): boolean => isPlain(query) && query.isCounted !== false;
