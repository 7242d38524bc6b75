import type { Condition } from '@chandlery/api';
import { clusterConditionPrefix } from './observed-cluster.ts';

/** What `Ready` sums up, in the order in which a problem is told. */
export const summedUp = (conditions: readonly Condition[]): readonly string[] => [
  'Meta',
  'ClusterRequestReady',
  'ClusterConditionsSynced',
  ...conditions.map(({ type }) => type).filter(type => type.startsWith(clusterConditionPrefix)),
  'AllAccessReady',
];

/** The conditions in one word. That it was paused once, or that a pass failed and is repeated, does not count. */
export function phaseOf(
  conditions: readonly Condition[],
  isDeleting: boolean,
): 'Ready' | 'Progressing' | 'Terminating' {
  if (isDeleting) return 'Terminating';
  const counted = conditions.filter(({ type }) => type !== 'Paused' && type !== 'Synced');
  return counted.length > 0 && counted.every(({ status }) => status === 'True') ? 'Ready' : 'Progressing';
}
