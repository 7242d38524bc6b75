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
  /** It no longer exists: instances on it are deleted without its agent. Only together with `draining`. */
  readonly lost: boolean;
}

/** Keeps new instances away from a cluster, or lets them in again. Repeated calls change nothing. Throws 7. */
export async function drainCluster(
  { registry, logger }: ActionDeps,
  { product, clusterId, draining, lost }: DrainRequest,
): Promise<ClusterRow> {
  const find = (): ClusterRow => {
    const row = registry.clusters.get(fleetClusterName(product, clusterId));
    if (row === undefined) throw fleetError(7, `There is no cluster "${clusterId}" of product "${product}"`);
    return row;
  };
  await commitAnew<FleetWrite>(registry, () => {
    const row = find();
    const { draining: wasDraining = false, lost: wasLost = false } = row.status;
    if (wasDraining === draining && wasLost === lost) return [];
    return [updateRow({ table: 'clusters', row, status: { ...row.status, draining, lost } })];
  });
  const what = lost ? 'a cluster is given up' : draining ? 'a cluster is drained' : 'a cluster is no longer drained';
  logger.info(what, { product, cluster: clusterId });
  return find();
}
