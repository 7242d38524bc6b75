import type { OutboundService } from '../../model/proxy-scope.ts';
import { clusterName } from '../../model/resource-names.ts';
import type { WeightedService } from '../../model/topology.ts';
import type { ClusterWeight } from '../proto/messages.ts';

const maxSum = 0xffffffff;

/** Scales weights down whose sum exceeds the range of proxies; no positive weight becomes 0. */
function fitWeights(clusters: readonly ClusterWeight[]): readonly ClusterWeight[] {
  const sum = clusters.reduce((total, { weight }) => total + weight, 0);
  if (sum <= maxSum) return clusters;
  const room = maxSum - clusters.length;
  return clusters.map(({ name, weight }) => ({ name, weight: Math.max(1, Math.floor((weight / sum) * room)) }));
}

export interface SplitPort {
  readonly tenant: string;
  readonly port: number;
}

/** Clusters with a positive weight, sorted by name. Empty when all weights are 0. */
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

/** The clusters of connections to a TCP port. Splits with matches on requests do not apply. */
export function connectionClusters(outbound: OutboundService, port: SplitPort): readonly ClusterWeight[] {
  const { service, split } = outbound;
  if (split && !split.matches) return weightedClusters(split.backends, port);
  return weightedClusters([{ service, weight: 1 }], port);
}
