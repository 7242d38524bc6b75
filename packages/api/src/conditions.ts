import { isRecord } from './json/json-values.ts';
import type { Condition, KubeObject } from './object.ts';

/** The conditions in an object's status; none when it has no status yet. Objects of tenants' kinds may hold anything there. */
export function conditionsOf(object: KubeObject): readonly Condition[] {
  const conditions = (object['status'] as { conditions?: Condition[] } | null | undefined)?.conditions;
  if (!Array.isArray(conditions)) return [];
  return conditions.every(isRecord) ? conditions : conditions.filter(isRecord);
}

export const findCondition = (object: KubeObject, type: string): Condition | undefined =>
  conditionsOf(object).find(condition => condition.type === type);
