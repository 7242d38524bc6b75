import { conditionsOf, isDeleting } from '@chandlery/runtime';
import type { Cluster } from '../../kinds/cluster.ts';

/** Conditions that the runtime sets after the steps, and those that `Ready` includes. */
const leftOut: readonly string[] = ['Synced', 'Paused', 'RunReady'];

/** The phase from the conditions. */
export function clusterPhase(cluster: Cluster): 'Terminating' | 'Ready' | 'Progressing' {
  if (isDeleting(cluster)) return 'Terminating';
  const conditions = conditionsOf(cluster).filter(({ type }) => !leftOut.includes(type));
  return conditions.length > 0 && conditions.every(({ status }) => status === 'True') ? 'Ready' : 'Progressing';
}
