import { commitAnew } from '@chandlery/registry';
import { fleetError } from '../errors.ts';
import { fleetClusterName } from '../kinds/index.ts';
import { type ClusterRow, type FleetWrite, updateRow } from '../registry/fleet-registry.ts';
import type { ActionDeps } from './action-deps.ts';

/** Which cluster is drained, or no longer. */
export interface DrainRequest {
  readonly product: string;
  readonly clusterId: string;
  readonly draining: boolean;
}

/** Keeps new instances away from a cluster, or lets them in again. Repeated calls change nothing. Throws 7. */
export async function drainCluster(
  { registry, logger }: ActionDeps,
  { product, clusterId, draining }: DrainRequest,
): Promise<ClusterRow> {
  const find = (): ClusterRow => {
    const row = registry.clusters.get(fleetClusterName(product, clusterId));
    if (row === undefined) throw fleetError(7, `There is no cluster "${clusterId}" of product "${product}"`);
    return row;
  };
  await commitAnew<FleetWrite>(registry, () => {
    const row = find();
    if ((row.status.draining ?? false) === draining) return [];
    return [updateRow({ table: 'clusters', row, status: { ...row.status, draining } })];
  });
  logger.info(draining ? 'a cluster is drained' : 'a cluster is no longer drained', { product, cluster: clusterId });
  return find();
}
