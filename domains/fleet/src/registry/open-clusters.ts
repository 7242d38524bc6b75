import type { RowChange, Table } from '@chandlery/registry';
import { fleetClusterName } from '../kinds/index.ts';
import { type PlacementOrder, placementOrders } from '../model/placement.ts';
import { clusterScope } from '../model/scopes.ts';
import { SortedBlocks } from '../model/search/sorted-blocks.ts';
import { type ClusterRow, type InstanceRow, indexTerm } from './fleet-tables.ts';
import type { UnitLedger } from './unit-ledger.ts';

interface Deps {
  readonly clusters: Pick<Table<ClusterRow>, 'get' | 'listen'>;
  readonly instances: Pick<Table<InstanceRow>, 'listen'>;
  /** Listens to the instances already, so that it has seen a change before. */
  readonly ledger: Pick<UnitLedger, 'occupied'>;
}

type Region = Readonly<Record<PlacementOrder, SortedBlocks<ClusterRow>>>;

/**
 * The clusters of each region that are not full, in the orders of placement. Kept up to date by changes, so that a
 * placement sorts nothing and does not look at full clusters.
 */
export class OpenClusters {
  readonly #deps: Deps;
  readonly #regions = new Map<string, Region>();
  /** Those in a region, by id, as they were put there. */
  readonly #open = new Map<string, ClusterRow>();

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.clusters.listen(({ type, row }) => this.#put(row, type !== 'removed' && this.#hasRoom(row)));
    deps.instances.listen(change => this.#refreshClustersOf(change));
  }

  /** The clusters of a region that are not full, named by its term in the index of clusters. Must be read at once. */
  inRegion(region: string, order: PlacementOrder): Iterable<ClusterRow> {
    return this.#regions.get(region)?.[order] ?? [];
  }

  #refreshClustersOf({ row, previous }: RowChange<InstanceRow>): void {
    const ids = new Set([row.status.clusterId, previous?.status.clusterId]);
    for (const clusterId of ids) {
      const cluster = clusterId && this.#deps.clusters.get(fleetClusterName(row.spec.product, clusterId));
      if (!cluster) continue;
      const hasRoom = this.#hasRoom(cluster);
      if (hasRoom !== this.#open.has(cluster.id)) this.#put(cluster, hasRoom);
    }
  }

  #hasRoom({ spec: { product, clusterId, instanceLimit } }: ClusterRow): boolean {
    return instanceLimit < 0 || this.#deps.ledger.occupied(clusterScope(product, clusterId)) < instanceLimit;
  }

  #put(row: ClusterRow, isOpen: boolean): void {
    const former = this.#open.get(row.id);
    if (former !== undefined) for (const order of Object.values(this.#region(former))) order.remove(former);
    this.#open.delete(row.id);
    if (!isOpen) return;
    for (const order of Object.values(this.#region(row))) order.put(row);
    this.#open.set(row.id, row);
  }

  #region({ spec: { product, cloudProvider, region } }: ClusterRow): Region {
    const term = indexTerm(product, cloudProvider, region);
    const known = this.#regions.get(term);
    if (known !== undefined) return known;
    const created = {
      document: new SortedBlocks<ClusterRow>(placementOrders.document),
      creation: new SortedBlocks<ClusterRow>(placementOrders.creation),
    };
    this.#regions.set(term, created);
    return created;
  }
}
