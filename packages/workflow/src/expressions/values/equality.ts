import type { Meter } from './meter.ts';
import {
  AnyMap,
  Bytes,
  Duration,
  isList,
  isNumber,
  isStringMap,
  ownValue,
  type StringMap,
  Time,
  type Value,
} from './value.ts';

/** The language's `==`: an int equals a float of the same value, also within lists, but not within maps. */
export function equal(a: Value, b: Value, meter: Meter): boolean {
  meter.charge(1);
  // An int and a float are compared by value.
  // oxlint-disable-next-line eqeqeq
  if (isNumber(a) && isNumber(b)) return a == b;
  if (isList(a) && isList(b)) {
    return a.length === b.length && a.every((item, index) => equal(item, b[index] ?? null, meter));
  }
  return identical(a, b, meter);
}

/** Go's `reflect.DeepEqual`: types count. */
export function identical(a: Value, b: Value, meter: Meter): boolean {
  meter.charge(1);
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (isList(a) && isList(b)) {
    return a.length === b.length && a.every((item, index) => identical(item, b[index] ?? null, meter));
  }
  if (a instanceof Time && b instanceof Time) return a.nanoseconds === b.nanoseconds;
  if (a instanceof Duration && b instanceof Duration) return a.nanoseconds === b.nanoseconds;
  if (a instanceof Bytes && b instanceof Bytes) return a.content.equals(b.content);
  if (a instanceof AnyMap && b instanceof AnyMap) return identicalAnyMaps(a, b, meter);
  return isStringMap(a) && isStringMap(b) && identicalMaps(a, b, meter);
}

function identicalMaps(a: StringMap, b: StringMap, meter: Meter): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every(key => {
    const other = ownValue(b, key);
    return other !== undefined && identical(ownValue(a, key) ?? null, other, meter);
  });
}

function identicalAnyMaps(a: AnyMap, b: AnyMap, meter: Meter): boolean {
  if (a.entries.size !== b.entries.size) return false;
  for (const [key, value] of a.entries) {
    const other = b.entries.get(key);
    if (other === undefined || !identical(value, other, meter)) return false;
  }
  return true;
}
