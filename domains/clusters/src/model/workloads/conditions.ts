import { formatTime } from '@chandlery/api';
import type { WorkloadCondition } from './objects.ts';

/** A condition without its times. */
export type Stated = Pick<WorkloadCondition, 'type' | 'status' | 'reason' | 'message'>;

export const findCondition = (
  conditions: readonly WorkloadCondition[] | undefined,
  type: string,
): WorkloadCondition | undefined => conditions?.find(condition => condition.type === type);

export const isTrue = (conditions: readonly WorkloadCondition[] | undefined, type: string): boolean =>
  findCondition(conditions, type)?.status === 'True';

/**
 * Sets a condition. Its transition time changes with its status, its update time with any change; setting the same
 * again changes nothing. `update` names the field of the second time, for kinds that have one.
 */
export function stateCondition(
  conditions: readonly WorkloadCondition[] | undefined,
  stated: Stated,
  now: Date,
  update?: 'lastUpdateTime' | 'lastProbeTime',
): WorkloadCondition[] {
  const before = findCondition(conditions, stated.type);
  const time = formatTime(now);
  const isSameStatus = before?.status === stated.status;
  if (isSameStatus && before.reason === stated.reason && before.message === stated.message)
    return [...(conditions ?? [])];
  const condition: WorkloadCondition = {
    ...stated,
    lastTransitionTime: isSameStatus ? (before.lastTransitionTime ?? time) : time,
    ...(update === undefined ? {} : { [update]: time }),
  };
  const others = (conditions ?? []).filter(({ type }) => type !== stated.type);
  return [...others, condition].sort((left, right) => (left.type < right.type ? -1 : 1));
}

/** The conditions without one of them. */
export const withoutCondition = (
  conditions: readonly WorkloadCondition[] | undefined,
  type: string,
): WorkloadCondition[] => (conditions ?? []).filter(condition => condition.type !== type);
