import type { StringPool } from './string-pool.ts';

/** Freezes a JSON value deeply, and interns the values of the pool's fields. Changes the value in place. */
export function settleJson(value: unknown, pool: StringPool): unknown {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) {
    for (const item of value) settleJson(item, pool);
    return Object.freeze(value);
  }
  const object = value as Record<string, unknown>;
  for (const field of Object.keys(object)) {
    const part = object[field];
    if (typeof part === 'string') {
      if (pool.hasField(field)) object[field] = pool.share(part);
    } else settleJson(part, pool);
  }
  return Object.freeze(object);
}
