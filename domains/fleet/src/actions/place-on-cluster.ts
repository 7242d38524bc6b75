import type { PassedOver, PlacementRequest } from '../model/placement.ts';
import { parseUnit } from '../model/scopes.ts';
import { type ClusterRow, checkRow, type InstanceRow, updateRow } from '../registry/fleet-registry.ts';
import { type ActionDeps, presentProduct } from './action-deps.ts';
import { commitOrder } from './commit-order.ts';
import { findCluster } from './decide-order.ts';

/** Where an instance went; without a cluster it is as it was. */
export interface PlacedInstance {
  readonly clusterId: string | undefined;
  readonly passedOver: readonly PassedOver[];
}

/**
 * Finds a cluster for an instance and takes its units there, in one commit with what else changes. `statusOn` is asked with
 * the row as it is then: it returns the status on that cluster, or undefined where the instance needs none any more. The
 * holds of the status are set here.
 */
export async function placeOnCluster(
  deps: ActionDeps,
  id: string,
  statusOn: (row: InstanceRow, cluster: ClusterRow) => InstanceRow['status'] | undefined,
): Promise<PlacedInstance> {
  let placed: PlacedInstance = { clusterId: undefined, passedOver: [] };
  const stay = (passedOver: readonly PassedOver[] = []) => {
    placed = { clusterId: undefined, passedOver };
    return { demands: [], writes: () => [] };
  };
  await commitOrder(deps, usage => {
    const row = deps.registry.instances.get(id);
    if (row === undefined) return stay();
    const product = presentProduct(deps, row.spec.product);
    const found = findCluster(deps, product, { request: placementRequestOf(row), usage });
    if (found.cluster === undefined) return stay(found.passedOver);
    const { cluster, demands, passedOver } = found;
    const { clusterId } = cluster.spec;
    const status = statusOn(row, cluster);
    if (status === undefined) return stay(passedOver);
    placed = { clusterId, passedOver };
    const kept = holdsWithoutCluster(row.status.holds);
    const change = (holds: readonly string[]) => ({ ...status, clusterId, holds: [...kept, ...holds] });
    return {
      demands,
      writes: holds => [
        updateRow({ table: 'instances', row, status: change(holds) }),
        checkRow('products', product.row),
        checkRow('clusters', cluster),
      ],
    };
  });
  return placed;
}

/** What placement has to know of an admitted instance. */
export const placementRequestOf = ({ spec, status }: InstanceRow): PlacementRequest => ({
  cloudProvider: spec.cloudProvider ?? '',
  region: spec.region ?? '',
  multiAz: spec.multiAz ?? false,
  instanceType: status.instanceType ?? '',
  units: status.units ?? 0,
  excludedClusters: status.excludedClusters ?? [],
});

/** Holds of an instance that leaves its cluster: its quota and the units of its region stay. */
export const holdsWithoutCluster = (holds: readonly string[] = []): string[] =>
  holds.filter(hold => parseUnit(hold)?.scope.startsWith('cluster/') !== true);
