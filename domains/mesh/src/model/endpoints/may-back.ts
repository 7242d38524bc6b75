import type { Endpoint } from '../endpoint.ts';

/**
 * Whether workloads of an account may announce endpoints of a service: when it has no endpoints, or the account already
 * backs it. Otherwise any workload of a namespace could redirect the traffic of the others to itself.
 */
export const mayBack = (endpoints: readonly Endpoint[], serviceAccount: string): boolean =>
  endpoints.length === 0 || endpoints.some(endpoint => endpoint.serviceAccount === serviceAccount);
