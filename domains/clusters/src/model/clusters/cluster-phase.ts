import { conditionsOf, isDeleting } from '@chandlery/runtime';
import type { Cluster } from '../../kinds/cluster.ts';

/** What the runtime states of passes, after the steps: no part of what the cluster is. */
const aboutPasses: readonly string[] = ['Synced', 'Paused'];

/** The conditions in one word. */
export function clusterPhase(cluster: Cluster): 'Terminating' | 'Ready' | 'Progressing' {
  if (isDeleting(cluster)) return 'Terminating';
  const conditions = conditionsOf(cluster).filter(({ type }) => !aboutPasses.includes(type));
  return conditions.length > 0 && conditions.every(({ status }) => status === 'True') ? 'Ready' : 'Progressing';
}
