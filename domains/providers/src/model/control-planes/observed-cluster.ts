import type { Cluster } from '@chandlery/clusters/kinds';
import type { StatedCondition } from '@chandlery/runtime';
import type { ControlPlaneConfig } from '../../kinds/index.ts';

/** The prefix of copied conditions. */
export const clusterConditionPrefix = 'Cluster.';

interface Endpoint {
  readonly name: string;
  readonly url: string;
}

/** The endpoints of the cluster that the operator exposes to tenants, with the configured names. */
export function exposedEndpoints({ status }: Cluster, { exposedEndpoints }: ControlPlaneConfig['spec']): Endpoint[] {
  const endpoints = status?.endpoints ?? [];
  if (exposedEndpoints === undefined) return [...endpoints];
  const renamed = exposedEndpoints.flatMap(({ name, renameTo }) => {
    const found = endpoints.find(endpoint => endpoint.name === name);
    return found === undefined ? [] : [{ name: renameTo || name, url: found.url }];
  });
  return [...new Map(renamed.map(endpoint => [endpoint.name, endpoint])).values()];
}

/** Conditions that are not copied: they do not describe the cluster, or `Ready` includes them. */
const leftOut: readonly string[] = ['Paused', 'RunReady'];

/** The conditions of the cluster, with our prefix. */
export const clusterConditions = ({ status }: Cluster): readonly StatedCondition[] =>
  (status?.conditions ?? [])
    .filter(({ type }) => !leftOut.includes(type))
    .map(({ type, status, reason, message }) => ({
      type: `${clusterConditionPrefix}${type}`,
      status,
      reason: reason ?? type,
      message: message ?? '',
    }));
