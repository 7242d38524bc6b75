import { type Condition, conditionsOf, findCondition, formatTime, type KubeObject } from '@chandlery/api';

export { conditionsOf, findCondition };

/** A condition as a step states it; the rest is filled in by {@link setCondition}. */
export interface StatedCondition {
  readonly type: string;
  readonly status: Condition['status'];
  /** CamelCase, documented. */
  readonly reason: string;
  /** One plain sentence; the same problem has the same text, so no times and no unsorted lists. Default: empty. */
  readonly message?: string;
}

interface WithConditions {
  conditions?: Condition[];
}

export const isConditionTrue = (object: KubeObject, type: string): boolean =>
  findCondition(object, type)?.status === 'True';

/**
 * States a condition in the object's status. `lastTransitionTime` moves only when the status does; the list stays
 * sorted by type, so that stating the same again changes nothing.
 */
export function setCondition(object: KubeObject, stated: StatedCondition, now: Date): void {
  const before = findCondition(object, stated.type);
  const condition: Condition = {
    type: stated.type,
    status: stated.status,
    reason: stated.reason,
    message: stated.message ?? '',
    lastTransitionTime: transitionTime(before, stated, now),
    ...(object.metadata.generation === undefined ? {} : { observedGeneration: object.metadata.generation }),
  };
  const others = conditionsOf(object).filter(({ type }) => type !== stated.type);
  statusOf(object).conditions = [...others, condition].sort(byType);
}

/** Takes a condition away; nothing happens when it is not there. */
export function removeCondition(object: KubeObject, type: string): void {
  if (findCondition(object, type) === undefined) return;
  statusOf(object).conditions = conditionsOf(object).filter(condition => condition.type !== type);
}

/**
 * Sums up other conditions as `Ready`: true when all of `types` are, otherwise the reason and message of the first, in
 * the order given, that is not.
 */
export function setReadySummary(object: KubeObject, types: readonly string[], now: Date): void {
  const blocking = types.find(type => !isConditionTrue(object, type));
  setCondition(object, blocking === undefined ? everythingReady : notReady(object, blocking), now);
}

const everythingReady: StatedCondition = { type: 'Ready', status: 'True', reason: 'Available' };

function notReady(object: KubeObject, type: string): StatedCondition {
  const { status = 'Unknown', reason, message } = findCondition(object, type) ?? {};
  return {
    type: 'Ready',
    status: status === 'Unknown' ? 'Unknown' : 'False',
    reason: reason || `${type}Unknown`,
    message: message || `${type} is not reported yet`,
  };
}

const transitionTime = (before: Condition | undefined, { status }: StatedCondition, now: Date): string =>
  before?.status === status && before.lastTransitionTime ? before.lastTransitionTime : formatTime(now);

/** By code unit: the order must not depend on the machine's language. */
const byType = (a: Condition, b: Condition): number => (a.type < b.type ? -1 : Number(a.type > b.type));

function statusOf(object: KubeObject): WithConditions {
  object['status'] ??= {};
  return object['status'] as WithConditions;
}
