import type { Endpoint } from '../endpoint.ts';
import type { LocalityGroup } from '../locality-group.ts';
import { levelOf, type Viewpoint } from './level-of.ts';
import { finishGroups, localitiesOf } from './locality.ts';
import { boundWeights } from './weights.ts';

/**
 * Groups the endpoints of a service port by locality and priority for a client at `from`: its own cluster first, then
 * its region, then the rest.
 *
 * A priority level keeps its number while it has any endpoint, healthy or not. Both kinds of clients skip a level
 * without healthy endpoints: Envoy assigns each level the load that its healthy hosts allow, gRPC drops unhealthy
 * endpoints and then empty levels. The level is preferred again as soon as one of its endpoints is healthy. The weight
 * of a zone is the sum over its healthy endpoints, and 1 if there are none: gRPC ignores zones without a weight.
 */
export function groupByLocality(endpoints: readonly Endpoint[], from: Viewpoint): readonly LocalityGroup[] {
  const levels = [...Map.groupBy(endpoints, endpoint => levelOf(endpoint, from))].sort(([a], [b]) => a - b);
  const localities = levels.flatMap(([, members], priority) => localitiesOf(members, { priority, subZone: '' }));
  return finishGroups(localities, shares => boundWeights(shares.map(atLeastOne)));
}

const atLeastOne = (share: bigint): bigint => (share > 1n ? share : 1n);
