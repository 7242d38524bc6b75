import type { Clock } from '@chandlery/platform';
import type { RowChange } from '@chandlery/registry';
import type { ClusterState } from './kinds/index.ts';
import type { ClusterObserver } from './ports.ts';
import type { ClusterRow, FleetRegistry } from './registry/fleet-registry.ts';

/** A cluster that is in one of them has never been ready. */
const beforeReady: ReadonlySet<ClusterState | undefined> = new Set([
  undefined,
  'cluster_accepted',
  'cluster_provisioning',
  'cluster_provisioned',
  'waiting_for_fleetshard_operator',
]);

/**
 * Counts what happens to clusters, by their changes: additions and removals, and how long it took until they were ready.
 * Only one process may do so, or each would count everything. Returns how to stop.
 */
export function observeClusters(
  { clusters }: Pick<FleetRegistry, 'clusters'>,
  { observer, clock }: { readonly observer: ClusterObserver; readonly clock: Clock },
): () => void {
  return clusters.listen(({ type, row, previous }: RowChange<ClusterRow>) => {
    const [from, to] = [previous?.status.state, row.status.state];
    if (type === 'added') observer.clusterOperation('create', false);
    if (type === 'removed') observer.clusterOperation('delete', true);
    else if (to === 'ready' && beforeReady.has(from)) {
      observer.clusterOperation('create', true);
      observer.clusterReady((clock.now().getTime() - Date.parse(row.createdAt)) / 1000);
    } else if (to === 'deprovisioning' && from !== to) observer.clusterOperation('delete', false);
  });
}
