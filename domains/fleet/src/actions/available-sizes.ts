import { fits, regionScope } from '../model/scopes.ts';
import type { ConfiguredProduct } from '../registry/fleet-registry.ts';
import type { ActionDeps } from './action-deps.ts';
import { findCluster } from './decide-order.ts';

/** A region, and what is wanted there. */
export interface RegionAndType {
  readonly cloudProvider: string;
  readonly region: string;
  readonly instanceType: string;
}

/**
 * Returns the ids of the sizes of an instance type that a region has room for now: in the region, and on a cluster unless
 * clusters are added on demand.
 */
export function availableSizes(deps: ActionDeps, product: ConfiguredProduct, place: RegionAndType): readonly string[] {
  const { row, configuration } = product;
  const usage = deps.registry.ledger;
  const region = configuration.providers.get(place.cloudProvider)?.regions.get(place.region);
  const limits = region?.instanceTypes.get(place.instanceType);
  const sizes = configuration.instanceTypes.get(place.instanceType)?.sizes.values() ?? [];
  if (limits === undefined || limits.limit === 0) return [];
  const { limit = Number.POSITIVE_INFINITY } = limits;
  const hasCluster = (units: number): boolean =>
    configuration.settings.scalingType === 'auto' ||
    findCluster(deps, product, { request: { ...place, multiAz: false, units, excludedClusters: [] }, usage })
      .cluster !== undefined;
  return [...sizes]
    .filter(({ capacityConsumed: units }) => fits({ scope: regionScope(row.id, place), units, limit }, usage))
    .filter(({ capacityConsumed: units }) => hasCluster(units))
    .map(({ id }) => id);
}
