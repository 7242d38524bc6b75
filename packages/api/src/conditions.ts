import { isRecord } from './json/json-values.ts';
import type { Condition, KubeObject } from './object.ts';

/**
 * The conditions in an object's status; none when it has no status yet. Items that are no objects, which a schema may allow,
 * are left out.
 */
export function conditionsOf(object: KubeObject): readonly Condition[] {
  const conditions = (object['status'] as { conditions?: unknown } | null | undefined)?.conditions;
  return Array.isArray(conditions) ? conditions.filter((item): item is Condition => isRecord(item)) : [];
}

export const findCondition = (object: KubeObject, type: string): Condition | undefined =>
  conditionsOf(object).find(condition => condition.type === type);
