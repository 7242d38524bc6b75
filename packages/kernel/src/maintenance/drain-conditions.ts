import type { KubeObject } from '@chandlery/api';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

interface Conditioned extends KubeObject {
  status?: { conditions?: (Condition & { lastTransitionTime?: string })[] };
}

/** The object with the conditions in place of those of the same types; a status that stays keeps its time. */
export function withConditions(object: KubeObject, conditions: readonly Condition[], now: string): KubeObject {
  const { status } = object as Conditioned;
  const present = status?.conditions ?? [];
  const types = new Set(conditions.map(({ type }) => type));
  const timed = conditions.map(condition => {
    const before = present.find(({ type }) => type === condition.type);
    const isSame = before?.status === condition.status;
    return { ...condition, lastTransitionTime: (isSame ? before.lastTransitionTime : undefined) ?? now };
  });
  return {
    ...object,
    status: { ...status, conditions: [...present.filter(({ type }) => !types.has(type)), ...timed] },
  };
}
