import type { ObjectState } from '@chandlery/api';
import type { GraphCall, GraphService, WeightedBackend } from '@chandlery/mesh/kinds';
import { requestJson } from '../../api/request.ts';

/** What proxies say is read again after this time: it has no watch. */
export const refreshMs = 3000;

/** Requests something of a mesh. */
export const readMesh = <T>(
  mesh: string,
  path: string,
  signal: AbortSignal,
  query: Readonly<Record<string, string | number | undefined>> = {},
): Promise<T> => requestJson<T>(`/mesh/v1/meshes/${encodeURIComponent(mesh)}/${path}`, { query, signal });

export const keyOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `${namespace}/${name}`;

/** Both parts of `namespace/name`. */
export function partsOf(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/');
  return slash < 0 ? { namespace: '', name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

interface Mark {
  readonly state: ObjectState;
  readonly word: string;
}

/** Access as symbol and word. */
export const accessMarks: Readonly<Record<GraphCall['access'], Mark>> = {
  all: { state: 'ready', word: 'Allowed' },
  some: { state: 'waiting', word: 'Some requests' },
  none: { state: 'failed', word: 'Denied' },
};

export const healthMarks: Readonly<Record<string, Mark>> = {
  healthy: { state: 'ready', word: 'Healthy' },
  unhealthy: { state: 'failed', word: 'Unhealthy' },
  draining: { state: 'deleting', word: 'Draining' },
};

/** A service as symbol and word: whether anything answers its calls. */
export function serviceMark({ endpoints, split }: GraphService): Mark {
  const { healthy = 0, unhealthy = 0, draining = 0 } = endpoints;
  const all = healthy + unhealthy + draining;
  if (healthy > 0) return { state: 'ready', word: `${healthy} of ${all} healthy` };
  if (split !== undefined && all === 0) return { state: 'exists', word: 'Split' };
  return all === 0 ? { state: 'failed', word: 'No endpoints' } : { state: 'failed', word: `None of ${all} healthy` };
}

/** The share of each backend of a split in percent. */
export function sharesOf(
  backends: readonly WeightedBackend[],
): readonly { readonly key: string; readonly percent: number }[] {
  const sum = backends.reduce((total, { weight }) => total + weight, 0);
  return backends.map(({ service, weight }) => ({
    key: keyOf(service),
    percent: sum === 0 ? 0 : Number(((weight / sum) * 100).toFixed(1)),
  }));
}
