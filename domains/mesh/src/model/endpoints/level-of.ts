import type { Endpoint } from '../endpoint.ts';

/** The place of a client, from which endpoints are prioritized. */
export interface Viewpoint {
  readonly cluster: string;
  /** Default: unknown, and different from the region of any other cluster. */
  readonly region?: string;
}

/** Priority level of an endpoint: 0 in the same cluster, 1 in the same region, 2 elsewhere. */
export function levelOf(endpoint: Endpoint, from: Viewpoint): number {
  if (endpoint.cluster === from.cluster) return 0;
  return from.region !== undefined && endpoint.region === from.region ? 1 : 2;
}
