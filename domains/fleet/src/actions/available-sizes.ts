import { placeInstance } from '../model/placement.ts';
import { fits, regionScope } from '../model/scopes.ts';
import { type ConfiguredProduct, indexTerm } from '../registry/fleet-registry.ts';
import type { ActionDeps } from './action-deps.ts';

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
export function availableSizes(
  deps: ActionDeps,
  { row, configuration }: ConfiguredProduct,
  place: RegionAndType,
): readonly string[] {
  const { registry, clock } = deps;
  const region = configuration.providers.get(place.cloudProvider)?.regions.get(place.region);
  const limits = region?.instanceTypes.get(place.instanceType);
  const sizes = configuration.instanceTypes.get(place.instanceType)?.sizes.values() ?? [];
  if (limits === undefined || limits.limit === 0) return [];
  const { limit = Number.POSITIVE_INFINITY } = limits;
  const context = { configuration, usage: registry.ledger, now: clock.now() };
  const clusters = [...registry.clusters.by('region', indexTerm(row.id, place.cloudProvider, place.region))];
  const hasCluster = (units: number): boolean =>
    configuration.settings.scalingType === 'auto' ||
    placeInstance({ ...place, multiAz: false, units, excludedClusters: [] }, clusters, context).cluster !== undefined;
  return [...sizes]
    .filter(({ capacityConsumed: units }) => fits({ scope: regionScope(row.id, place), units, limit }, registry.ledger))
    .filter(({ capacityConsumed: units }) => hasCluster(units))
    .map(({ id }) => id);
}
