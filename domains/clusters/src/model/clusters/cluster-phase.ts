import { conditionsOf, isDeleting } from '@chandlery/runtime';
import type { Cluster } from '../../kinds/cluster.ts';

/** What the runtime states of passes, after the steps; and what `Ready` sums up where it counts. */
const leftOut: readonly string[] = ['Synced', 'Paused', 'RunReady'];

/** The conditions in one word. */
export function clusterPhase(cluster: Cluster): 'Terminating' | 'Ready' | 'Progressing' {
  if (isDeleting(cluster)) return 'Terminating';
  const conditions = conditionsOf(cluster).filter(({ type }) => !leftOut.includes(type));
  return conditions.length > 0 && conditions.every(({ status }) => status === 'True') ? 'Ready' : 'Progressing';
}
