import type { Cluster } from '@chandlery/clusters/kinds';
import type { StatedCondition } from '@chandlery/runtime';
import type { ControlPlaneConfig } from '../../kinds/index.ts';

/** Copied conditions are known by this. */
export const clusterConditionPrefix = 'Cluster.';

interface Endpoint {
  readonly name: string;
  readonly url: string;
}

/** Where tenants reach the cluster: what the operator lets them see, under the names the operator chose. */
export function exposedEndpoints({ status }: Cluster, { exposedEndpoints }: ControlPlaneConfig['spec']): Endpoint[] {
  const endpoints = status?.endpoints ?? [];
  if (exposedEndpoints === undefined) return [...endpoints];
  const renamed = exposedEndpoints.flatMap(({ name, renameTo }) => {
    const found = endpoints.find(endpoint => endpoint.name === name);
    return found === undefined ? [] : [{ name: renameTo || name, url: found.url }];
  });
  return [...new Map(renamed.map(endpoint => [endpoint.name, endpoint])).values()];
}

/** What says nothing about how the cluster is, and what its `Ready` sums up where it counts. */
const leftOut: readonly string[] = ['Paused', 'RunReady'];

/** The cluster's conditions under our names. */
export const clusterConditions = ({ status }: Cluster): readonly StatedCondition[] =>
  (status?.conditions ?? [])
    .filter(({ type }) => !leftOut.includes(type))
    .map(({ type, status, reason, message }) => ({
      type: `${clusterConditionPrefix}${type}`,
      status,
      reason: reason ?? type,
      message: message ?? '',
    }));
