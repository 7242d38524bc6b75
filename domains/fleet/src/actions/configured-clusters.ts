import { isDeepStrictEqual } from 'node:util';
import { fleetClusterName } from '../kinds/index.ts';
import type { ConfiguredCluster, FleetConfiguration } from '../model/configuration/configuration.ts';
import { type ClusterRow, createRow, type FleetWrite, indexTerm, updateRow } from '../registry/fleet-registry.ts';
import type { ActionDeps } from './action-deps.ts';

type ClusterSpec = ClusterRow['spec'];

/**
 * The writes that make the clusters of a product those of its document. Clusters that are no longer in it are removed
 * when they are empty, and take nothing new otherwise. Clusters that did not come from the document stay.
 */
export function configuredClusterWrites(deps: ActionDeps, configuration: FleetConfiguration): readonly FleetWrite[] {
  const { id } = configuration.product;
  const wanted = configuration.clusters.flatMap((cluster, order) => wantedWrites(deps, specOf(id, cluster, order)));
  const surplus = [...deps.registry.clusters.by('product', id)]
    .filter(({ spec }) => spec.origin === 'document' && !configuration.clusterIds.has(spec.clusterId))
    .flatMap(row => surplusWrites(deps, row));
  return [...wanted, ...surplus];
}

const specOf = (product: string, cluster: ConfiguredCluster, order: number): ClusterSpec => ({
  product,
  clusterId: cluster.clusterId,
  displayName: cluster.name,
  cloudProvider: cluster.cloudProvider,
  region: cluster.region,
  multiAz: cluster.multiAz,
  schedulable: cluster.schedulable,
  instanceLimit: cluster.instanceLimit ?? -1,
  ...(cluster.supportedInstanceTypes === undefined
    ? {}
    : { supportedInstanceTypes: [...cluster.supportedInstanceTypes] }),
  providerType: cluster.providerType,
  ...(cluster.clusterDns === '' ? {} : { clusterDns: cluster.clusterDns }),
  origin: 'document',
  initialState: cluster.status,
  order,
});

function wantedWrites({ registry }: ActionDeps, spec: ClusterSpec): readonly FleetWrite[] {
  const id = fleetClusterName(spec.product, spec.clusterId);
  const row = registry.clusters.get(id);
  if (row === undefined)
    return [createRow({ table: 'clusters', id, tenant: '', spec, status: initialStatus(registry, spec) })];
  const isBack = isRemovalPending(row) && spec.providerType === 'standalone';
  if (!isBack && isDeepStrictEqual({ ...row.spec }, spec)) return [];
  const status = isBack ? { status: { ...row.status, ...initialStatus(registry, spec) } } : {};
  return [updateRow({ table: 'clusters', row, spec, ...status })];
}

/** A standalone cluster that was dropped has lost nothing yet: it can come back at once. */
const isRemovalPending = ({ status }: ClusterRow): boolean =>
  status.state === 'deprovisioning' || status.state === 'cleanup';

const initialStatus = (registry: ActionDeps['registry'], { initialState }: ClusterSpec): ClusterRow['status'] => ({
  state: initialState as NonNullable<ClusterRow['status']['state']>,
  stateSince: registry.now(),
});

function surplusWrites({ registry }: ActionDeps, row: ClusterRow): readonly FleetWrite[] {
  const { product, clusterId } = row.spec;
  if (isRemovalPending(row)) return [];
  const isEmpty = registry.instances.count('cluster', indexTerm(product, clusterId)) === 0;
  const spec = { ...row.spec, schedulable: false };
  const removed = { ...row.status, state: 'deprovisioning' as const, stateSince: registry.now() };
  if (!isEmpty && !row.spec.schedulable) return [];
  return [updateRow({ table: 'clusters', row, spec, ...(isEmpty ? { status: removed } : {}) })];
}
