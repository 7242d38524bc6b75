import { canonicalJson, type JsonValue } from '@chandlery/api';

/** A test whether a value equals one of the given ones; its cost does not depend on how many these are. */
export function compileMembership(values: readonly JsonValue[]): (value: JsonValue) => boolean {
  const scalars = new Set(values.filter(isScalar));
  const others = new Set(values.filter(value => !isScalar(value)).map(canonicalJson));
  return value => (isScalar(value) ? scalars.has(value) : others.size > 0 && others.has(canonicalJson(value)));
}

const isScalar = (value: JsonValue): boolean => typeof value !== 'object' || value === null;

/** Roughly the length of the value's JSON text; never less than half of it for ordinary data. */
export function jsonSize(value: JsonValue): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 5;
  let size = 2;
  if (Array.isArray(value)) {
    for (const item of value) size += jsonSize(item) + 1;
    return size;
  }
  for (const key of Object.keys(value)) size += key.length + 4 + jsonSize(value[key] ?? null);
  return size;
}
