import type { Endpoint } from '../endpoint.ts';

/** From where endpoints are looked at. */
export interface Viewpoint {
  readonly cluster: string;
  /** Default: not known, which is near to no other cluster. */
  readonly region?: string;
}

/** How near an endpoint is: 0 in the same cluster, 1 in the same region, 2 elsewhere. */
export function levelOf(endpoint: Endpoint, from: Viewpoint): number {
  if (endpoint.cluster === from.cluster) return 0;
  return from.region !== undefined && endpoint.region === from.region ? 1 : 2;
}
