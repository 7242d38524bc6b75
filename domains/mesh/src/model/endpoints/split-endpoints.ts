import type { Endpoint } from '../endpoint.ts';
import type { LocalityGroup } from '../locality-group.ts';
import { type ServiceKey, serviceKey } from '../service-name.ts';
import type { WeightedService } from '../topology.ts';
import { canTakeTraffic, compareText } from './endpoint-order.ts';
import { levelOf, type Viewpoint } from './level-of.ts';
import { finishGroups, type Locality, localitiesOf, shareOf } from './locality.ts';
import { boundWeights, leastCommonMultiple, reduceWeights } from './weights.ts';

/** A backend of a split, and who serves it. */
export interface WeightedServiceEndpoints extends WeightedService {
  readonly endpoints: readonly Endpoint[];
}

interface Backend {
  readonly key: ServiceKey;
  readonly weight: number;
  /** Those who can take traffic, the nearest level first. */
  readonly levels: readonly (readonly Endpoint[])[];
}

/**
 * A split as endpoints of one cluster: a group for each backend and zone, the sub-zone names the backend, and weights
 * that divide the traffic exactly, however many endpoints a backend has.
 *
 * - Each backend's nearest level is asked first, wherever that is, so that the ratio holds from every place. Later levels
 *   are for when the first cannot be reached as a whole; the ratio then holds among the backends that have one.
 * - Only endpoints that can take traffic are listed: sick ones would make Envoy move load to later levels. A backend without
 *   any is left out and the others take its share; so is one of weight 0.
 * - An address of several backends counts for the first of them by name; clients refuse an address that comes twice.
 * - Ratios that no client could take (their sum exceeds {@link boundWeights}) are rounded.
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

/** Share = weight of the backend × part of its zone among its endpoints, all multiplied by what makes them whole. */
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
