import type { Endpoint } from '../endpoint.ts';
import type { LocalityGroup } from '../locality-group.ts';
import { levelOf, type Viewpoint } from './level-of.ts';
import { finishGroups, localitiesOf } from './locality.ts';
import { boundWeights } from './weights.ts';

/**
 * The endpoints of a service port as a client at `from` is told them: its own cluster first, then its region, then the
 * rest.
 *
 * A level keeps its number as long as it has any endpoint, fit or not. Both kinds of client pass over a level of which
 * nobody can take traffic: Envoy gives each level the load that its healthy hosts allow, gRPC drops endpoints that are
 * not healthy and then levels without any. So the level is first again as soon as somebody there is well. The weight of
 * a zone is the sum over those who can take traffic, and 1 if there are none: gRPC ignores zones without a weight.
 */
export function groupByLocality(endpoints: readonly Endpoint[], from: Viewpoint): readonly LocalityGroup[] {
  const levels = [...Map.groupBy(endpoints, endpoint => levelOf(endpoint, from))].sort(([a], [b]) => a - b);
  const localities = levels.flatMap(([, members], priority) => localitiesOf(members, { priority, subZone: '' }));
  return finishGroups(localities, shares => boundWeights(shares.map(atLeastOne)));
}

const atLeastOne = (share: bigint): bigint => (share > 1n ? share : 1n);
