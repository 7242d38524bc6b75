import type { Endpoint } from '../endpoint.ts';
import type { LocalityGroup } from '../locality-group.ts';
import { type ServiceKey, serviceKey } from '../service-name.ts';
import type { WeightedService } from '../topology.ts';
import { canTakeTraffic, compareText } from './endpoint-order.ts';
import { levelOf, type Viewpoint } from './level-of.ts';
import { finishGroups, type Locality, localitiesOf, shareOf } from './locality.ts';
import { boundWeights, leastCommonMultiple, reduceWeights } from './weights.ts';

/** A weighted service with its endpoints. */
export interface WeightedServiceEndpoints extends WeightedService {
  readonly endpoints: readonly Endpoint[];
}

interface Backend {
  readonly key: ServiceKey;
  readonly weight: number;
  /** Healthy endpoints by level, the nearest first. */
  readonly levels: readonly (readonly Endpoint[])[];
}

/**
 * Represents a split as endpoints of one cluster: a group for each backend and zone, with the backend as the sub-zone,
 * and weights that divide the traffic exactly, independent of the number of endpoints.
 *
 * - The nearest level of each backend has the highest priority, so that the ratio holds from every place. Later levels
 *   are used when the first is not reachable as a whole; the ratio then holds among the backends that have one.
 * - Only healthy endpoints are listed: unhealthy ones would make Envoy move load to later levels. A backend without
 *   healthy endpoints, or with weight 0, is left out, and the others take its share.
 * - An address of several backends counts for the first of them by name; clients reject duplicate addresses.
 * - Ratios that exceed the range of clients (see {@link boundWeights}) are rounded.
 */
export function splitEndpoints(
  backends: readonly WeightedServiceEndpoints[],
  from: Viewpoint,
): readonly LocalityGroup[] {
  const usable = usableBackends(backends, from);
  const depth = Math.max(0, ...usable.map(({ levels }) => levels.length));
  const localities = Array.from({ length: depth }, (_, priority) => localitiesAt(usable, priority)).flat();
  return finishGroups(localities, shares => boundWeights(reduceWeights(shares)));
}

function usableBackends(backends: readonly WeightedServiceEndpoints[], from: Viewpoint): readonly Backend[] {
  const taken = new Set<string>();
  const byName = [...Map.groupBy(backends, ({ service }) => serviceKey(service))].sort(([a], [b]) => compareText(a, b));
  return byName.flatMap(([key, same]) => {
    const weight = same.reduce((sum, backend) => sum + backend.weight, 0);
    if (weight <= 0) return [];
    const endpoints = same.flatMap(backend => backend.endpoints).filter(canTakeTraffic);
    const own = endpoints.filter(endpoint => isFirst(endpoint, taken));
    const levels = [...Map.groupBy(own, endpoint => levelOf(endpoint, from))].sort(([a], [b]) => a - b);
    return levels.length === 0 ? [] : [{ key, weight, levels: levels.map(([, members]) => members) }];
  });
}

function isFirst({ ip, port }: Endpoint, taken: Set<string>): boolean {
  const address = `${ip} ${port}`;
  return !taken.has(address) && taken.add(address) !== undefined;
}

/**
 * Share = weight of the backend × fraction of its endpoints in the zone, multiplied by a common factor to get integers.
 */
function localitiesAt(backends: readonly Backend[], priority: number): readonly Locality[] {
  const present = backends.flatMap(({ key, weight, levels }) => {
    const members = levels[priority];
    return members === undefined ? [] : [{ key, weight, members, total: shareOf(members) }];
  });
  const factor = leastCommonMultiple(present.map(({ total }) => total));
  return present.flatMap(({ key, weight, members, total }) =>
    localitiesOf(members, { priority, subZone: key }).map(locality => ({
      ...locality,
      share: (BigInt(weight) * locality.share * factor) / total,
    })),
  );
}
