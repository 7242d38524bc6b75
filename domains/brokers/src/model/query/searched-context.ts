import type { Labels } from './labels.ts';

type Context = Readonly<Record<string, unknown>>;

/** Where a row is from, as far as its labels and its context say. */
interface Placed {
  readonly spec: { readonly labels?: Labels };
  readonly status: { readonly context?: Context };
}

/** Labels by which an operator on Kubernetes says where it keeps the object behind a resource, and their names in a context. */
const places = [
  ['_clusterid', 'clusterid'],
  ['_namespace', 'namespace'],
] as const;

/**
 * The context that queries look at. An operator on Kubernetes labels what it makes with its cluster and namespace, and asks
 * for `context/clusterid` and `context/namespace` when an answer to its creation was lost: it must find what it has made,
 * from the first moment on. What the context itself says comes first.
 */
export function searchedContext({ spec: { labels }, status: { context } }: Placed): Context | undefined {
  if (labels === undefined) return context;
  const notified = places.flatMap(([key, name]) =>
    Object.hasOwn(labels, key) ? [[name, labels[key]?.[0] ?? '']] : [],
  );
  return notified.length === 0 ? context : { ...(Object.fromEntries(notified) as Context), ...context };
}
