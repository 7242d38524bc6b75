import type { Cluster } from '../../kinds/cluster.ts';
import type { SchedulerConfig } from '../../kinds/scheduler-config.ts';
import { holdersOf } from './holds.ts';

type Strategy = SchedulerConfig['spec']['strategy'];

/** Picks one of several clusters; undefined of none. `random` returns a number from 0 up to but not 1. */
export function chooseCluster(
  clusters: readonly Cluster[],
  strategy: Strategy,
  random: () => number,
): Cluster | undefined {
  switch (strategy) {
    case 'Balanced':
      return first(clusters, (left, right) => holdersOf(left).length - holdersOf(right).length || byKey(left, right));
    case 'Random':
      return clusters[Math.floor(random() * clusters.length)];
    case 'Simple':
      return first(clusters, byKey);
  }
}

type Order = (left: Cluster, right: Cluster) => number;

const first = (clusters: readonly Cluster[], order: Order): Cluster | undefined =>
  clusters.reduce<Cluster | undefined>(
    (best, cluster) => (best === undefined || order(cluster, best) < 0 ? cluster : best),
    undefined,
  );

/** By namespace and name, so that the same clusters are always chosen in the same order. */
export function byKey(left: Cluster, right: Cluster): number {
  const [a, b] = [keyIn(left), keyIn(right)];
  return a < b ? -1 : Number(a > b);
}

const keyIn = ({ metadata: { namespace = '', name = '' } }: Cluster): string => `${namespace}/${name}`;
