import type { Condition } from '@chandlery/api';
import { clusterConditionPrefix } from './observed-cluster.ts';

/** The conditions that `Ready` summarises, in the order in which problems are reported. */
export const summedUp = (conditions: readonly Condition[]): readonly string[] => [
  'Meta',
  'ClusterRequestReady',
  'ClusterConditionsSynced',
  ...conditions.map(({ type }) => type).filter(type => type.startsWith(clusterConditionPrefix)),
  'AllAccessReady',
];

/** The phase from the conditions. An earlier pause, or a failure that is retried, does not count. */
export function phaseOf(
  conditions: readonly Condition[],
  isDeleting: boolean,
): 'Ready' | 'Progressing' | 'Terminating' {
  if (isDeleting) return 'Terminating';
  const counted = conditions.filter(({ type }) => type !== 'Paused' && type !== 'Synced');
  return counted.length > 0 && counted.every(({ status }) => status === 'True') ? 'Ready' : 'Progressing';
}
