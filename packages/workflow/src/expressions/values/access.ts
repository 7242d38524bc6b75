import { methodOf } from '../dates/methods.ts';
import { toIndex } from './arithmetic.ts';
import { byteLength, sliceBytes } from './byte-text.ts';
import { equal } from './equality.ts';
import { fail } from './failure.ts';
import { formatValue } from './format-value.ts';
import type { Meter } from './meter.ts';
import { AnyMap, Bytes, isList, isStringMap, ownValue, typeName, type Value } from './value.ts';

/** `base[key]`. A key that a map does not have gives nil; anything else that is not there is a failure. */
export function fetchMember(base: Value, key: Value, meter: Meter): Value {
  if (isStringMap(base)) return typeof key === 'string' ? (ownValue(base, key) ?? null) : wrongKey(key);
  const found = findMember(base, key, meter);
  if (found !== undefined) return found;
  const length = lengthOf(base);
  if (length === undefined || base instanceof AnyMap)
    return fail(`cannot fetch ${formatValue(key, meter)} from ${typeName(base)}`);
  const index = toIndex(key);
  return fail(`index out of range: ${index < 0 ? length + index : index} (array length is ${length})`);
}

const wrongKey = (key: Value): never =>
  fail(`reflect.Value.MapIndex: value of type ${typeName(key)} is not assignable to type string`);

/** A member; undefined when there is none. */
export function findMember(base: Value, key: Value, meter: Meter): Value | undefined {
  if (isStringMap(base)) return ownValue(base, typeof key === 'string' ? key : wrongKey(key));
  if (base instanceof AnyMap) return base.entries.get(key) ?? null;
  const method = typeof key === 'string' ? methodOf(base, key) : undefined;
  if (method !== undefined) return method;
  const length = lengthOf(base);
  if (length === undefined) return undefined;
  const index = toIndex(key);
  return itemAt(base, index < 0 ? length + index : index, meter);
}

function itemAt(base: Value, index: number, meter: Meter): Value | undefined {
  if (isList(base)) return index in base ? (base[index] ?? null) : undefined;
  meter.chargeText(typeof base === 'string' ? base.length : 1);
  const bytes = base instanceof Bytes ? base.content : Buffer.from(typeof base === 'string' ? base : '');
  const byte = bytes[index];
  return byte === undefined ? undefined : BigInt(byte);
}

/** The length in items or bytes; undefined for what has none. */
export function lengthOf(value: Value): number | undefined {
  if (typeof value === 'string') return byteLength(value);
  if (isList(value)) return value.length;
  if (value instanceof Bytes) return value.content.length;
  if (value instanceof AnyMap) return value.entries.size;
  return isStringMap(value) ? Object.keys(value).length : undefined;
}

/** `base[from:to]`. Negative positions count from the end; positions outside are moved to the ends. */
export function slice(base: Value, from: Value | undefined, to: Value | undefined, meter: Meter): Value {
  if (typeof base !== 'string' && !isList(base) && !(base instanceof Bytes)) {
    return fail(`cannot slice ${formatValue(from ?? 0n, meter)}`);
  }
  const length = lengthOf(base) ?? 0;
  const end = boundOf(to, length, length);
  const start = Math.min(boundOf(from, 0, length), end);
  if (typeof base === 'string') {
    meter.chargeText(base.length);
    return sliceBytes(base, start, end);
  }
  meter.charge(end - start);
  return base instanceof Bytes ? new Bytes(base.content.subarray(start, end)) : base.slice(start, end);
}

function boundOf(position: Value | undefined, otherwise: number, length: number): number {
  if (position === undefined) return otherwise;
  const index = toIndex(position);
  return Math.min(length, Math.max(0, index < 0 ? length + index : index));
}

/** `needle in container`. */
export function isIn(needle: Value, container: Value, meter: Meter): boolean {
  if (container === null) return false;
  if (isList(container)) return container.some(item => equal(item, needle, meter));
  if (container instanceof AnyMap) return container.entries.has(needle);
  if (isStringMap(container)) return Object.hasOwn(container, typeof needle === 'string' ? needle : wrongKey(needle));
  return fail(`operator "in" not defined on ${typeName(container)}`);
}
