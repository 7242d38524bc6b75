import { clusterScope, regionScope } from '../model/scopes.ts';
import type { ClusterRow } from '../registry/fleet-registry.ts';
import { type ActionDeps, presentProduct } from './action-deps.ts';

/** How many capacity units are occupied, and of how many. */
export interface Occupancy {
  readonly used: number;
  /** Undefined: no limit. */
  readonly limit: number | undefined;
}

/** A region of a product with what it holds. */
export interface RegionReport {
  readonly cloudProvider: string;
  readonly region: string;
  readonly displayName: string;
  readonly instanceTypes: readonly (Occupancy & { readonly id: string })[];
  readonly clusters: readonly (Occupancy & { readonly row: ClusterRow })[];
}

/**
 * Reports what the regions of a product and their clusters hold, whatever the number of instances. Regions that left the
 * configuration are there as long as they have clusters. Throws 7.
 */
export function reportCapacity(deps: ActionDeps, productId: string): readonly RegionReport[] {
  const { ledger, clusters } = deps.registry;
  const { configuration } = presentProduct(deps, productId);
  const rows = [...clusters.by('product', productId)].sort((one, other) =>
    one.spec.clusterId < other.spec.clusterId ? -1 : 1,
  );
  const byPlace = Map.groupBy(rows, ({ spec }) => placeKey(spec.cloudProvider, spec.region));
  const clustersAt = (key: string): RegionReport['clusters'] =>
    (byPlace.get(key) ?? []).map(row => ({
      row,
      used: ledger.occupied(clusterScope(productId, row.spec.clusterId)),
      limit: row.spec.instanceLimit < 0 ? undefined : row.spec.instanceLimit,
    }));
  const configured = [...configuration.providers.values()].flatMap(({ name: cloudProvider, regions }) =>
    [...regions.values()].map(({ name: region, displayName, instanceTypes }) => ({
      cloudProvider,
      region,
      displayName,
      instanceTypes: [...instanceTypes].map(([id, { limit }]) => ({
        id,
        used: ledger.occupied(regionScope(productId, { cloudProvider, region, instanceType: id })),
        limit,
      })),
      clusters: clustersAt(placeKey(cloudProvider, region)),
    })),
  );
  const known = new Set(configured.map(({ cloudProvider, region }) => placeKey(cloudProvider, region)));
  const former = [...byPlace]
    .filter(([key]) => !known.has(key))
    .flatMap(([key, [first]]) => (first === undefined ? [] : [formerRegion(first, clustersAt(key))]));
  return [...configured, ...former];
}

const placeKey = (cloudProvider: string, region: string): string => JSON.stringify([cloudProvider, region]);

const formerRegion = ({ spec }: ClusterRow, clusters: RegionReport['clusters']): RegionReport => ({
  cloudProvider: spec.cloudProvider,
  region: spec.region,
  displayName: spec.region,
  instanceTypes: [],
  clusters,
});
