import type { Endpoint } from '../endpoint.ts';
import type { LocalityGroup } from '../locality-group.ts';
import { canTakeTraffic, compareEndpoints, compareText, weightOf } from './endpoint-order.ts';

/** Endpoints of one zone and one priority, before the weights of the priority are bounded. */
export interface Locality extends Omit<LocalityGroup, 'weight'> {
  /** Exact share, which may exceed the range of clients. */
  readonly share: bigint;
}

/** Groups endpoints by region and zone; a cluster without zones counts as one zone. Endpoints are sorted. */
export function localitiesOf(
  endpoints: readonly Endpoint[],
  { priority, subZone }: { readonly priority: number; readonly subZone: string },
): readonly Locality[] {
  const byPlace = Map.groupBy(endpoints, ({ region = '', zone, cluster }) => JSON.stringify([region, zone || cluster]));
  return [...byPlace].map(([place, members]) => {
    const [region = '', zone = ''] = JSON.parse(place) as readonly string[];
    return { region, zone, subZone, priority, share: shareOf(members), endpoints: members.toSorted(compareEndpoints) };
  });
}

/** The sum of the weights of healthy endpoints. */
export const shareOf = (endpoints: readonly Endpoint[]): bigint =>
  BigInt(endpoints.reduce((sum, endpoint) => sum + (canTakeTraffic(endpoint) ? weightOf(endpoint) : 0), 0));

/** Compares by priority, region, zone, sub-zone, so that equal content is encoded to equal bytes. */
const compareLocalities = (a: Locality, b: Locality): number =>
  a.priority - b.priority ||
  compareText(a.region, b.region) ||
  compareText(a.zone, b.zone) ||
  compareText(a.subZone, b.subZone);

/** Sorts groups and computes their weights from the shares of one priority by `weigh`. */
export function finishGroups(
  localities: readonly Locality[],
  weigh: (shares: readonly bigint[]) => readonly number[],
): readonly LocalityGroup[] {
  const byPriority = Map.groupBy(localities.toSorted(compareLocalities), ({ priority }) => priority);
  return [...byPriority.values()].flatMap(members => {
    const weights = weigh(members.map(({ share }) => share));
    return members.map(({ share: _, ...group }, index) => ({ ...group, weight: weights[index] ?? 1 }));
  });
}
