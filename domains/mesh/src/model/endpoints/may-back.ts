import type { Endpoint } from '../endpoint.ts';

/**
 * Whether workloads of an account may say that they serve a service with these endpoints: when nobody else does, or the
 * account is known to. Otherwise every workload of a namespace could draw the calls of all others to itself.
 */
export const mayBack = (endpoints: readonly Endpoint[], serviceAccount: string): boolean =>
  endpoints.length === 0 || endpoints.some(endpoint => endpoint.serviceAccount === serviceAccount);
