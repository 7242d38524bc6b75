import type { OutboundService } from '../../model/proxy-scope.ts';
import { clusterName } from '../../model/resource-names.ts';
import type { WeightedService } from '../../model/topology.ts';
import type { ClusterWeight } from '../proto/messages.ts';

const greatestSum = 0xffffffff;

/** Scales weights down whose sum is more than proxies can count; nobody who had a share loses all of it. */
function fitWeights(clusters: readonly ClusterWeight[]): readonly ClusterWeight[] {
  const sum = clusters.reduce((total, { weight }) => total + weight, 0);
  if (sum <= greatestSum) return clusters;
  const room = greatestSum - clusters.length;
  return clusters.map(({ name, weight }) => ({ name, weight: Math.max(1, Math.floor((weight / sum) * room)) }));
}

export interface SplitPort {
  readonly tenant: string;
  readonly port: number;
}

/** Clusters with a share of the traffic, sorted by name. Empty when the weights are all 0: then there is no route. */
export function weightedClusters(
  backends: readonly WeightedService[],
  { tenant, port }: SplitPort,
): readonly ClusterWeight[] {
  const clusters = backends
    .filter(({ weight }) => weight > 0)
    .map(({ service, weight }) => ({ name: clusterName({ tenant, service, port }), weight }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return fitWeights(clusters);
}

/** Where the connections to a port go that is not HTTP. Splits that look at requests do not concern them. */
export function connectionClusters(outbound: OutboundService, port: SplitPort): readonly ClusterWeight[] {
  const { service, split } = outbound;
  if (split && !split.matches) return weightedClusters(split.backends, port);
  return weightedClusters([{ service, weight: 1 }], port);
}
