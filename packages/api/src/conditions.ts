import type { Condition, KubeObject } from './object.ts';

/** The conditions in an object's status; none when it has no status yet. */
export function conditionsOf(object: KubeObject): readonly Condition[] {
  const conditions = (object['status'] as { conditions?: Condition[] } | undefined)?.conditions;
  return Array.isArray(conditions) ? conditions : [];
}

export const findCondition = (object: KubeObject, type: string): Condition | undefined =>
  conditionsOf(object).find(condition => condition.type === type);
