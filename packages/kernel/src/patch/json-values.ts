import type { JsonObject, JsonValue } from '@chandlery/api';
import { canonicalJson } from '../schema/json.ts';

/** True for maps; false for lists, null and scalars. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads a key of the object's own; what `Object.prototype` offers is not data. */
export function getOwn(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets a key. `__proto__` becomes an ordinary key instead of changing the prototype. */
export function setOwn(object: JsonObject, key: string, value: JsonValue): void {
  if (key !== '__proto__') {
    object[key] = value;
    return;
  }
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

/** A copy that shares nothing with the original; keys whose value is undefined are left out. */
export function cloneJson(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(cloneJson);
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    const child = value[key];
    if (child !== undefined) setOwn(copy, key, cloneJson(child));
  }
  return copy;
}

/** Equality of JSON values: key order does not matter, list order does, undefined is absent. */
export function jsonEquals(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  if (left === right) return true;
  if (typeof left === 'bigint') return isSameNumber(left, right);
  if (typeof right === 'bigint') return isSameNumber(right, left);
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left)) return Array.isArray(right) && listsEqual(left, right);
  return !Array.isArray(right) && objectsEqual(left, right);
}

/** A number that JSON would write with the same digits. */
const isSameNumber = (left: bigint, right: JsonValue | undefined): boolean =>
  typeof right === 'number' && String(left) === String(right);

function listsEqual(left: readonly JsonValue[], right: readonly JsonValue[]): boolean {
  if (left.length !== right.length) return false;
  for (let i = 0; i < left.length; i++) if (!jsonEquals(left[i], right[i])) return false;
  return true;
}

function objectsEqual(left: JsonObject, right: JsonObject): boolean {
  let size = 0;
  for (const key of Object.keys(left)) {
    const value = left[key];
    if (value === undefined) continue;
    if (!jsonEquals(value, getOwn(right, key))) return false;
    size++;
  }
  for (const key of Object.keys(right)) if (right[key] !== undefined) size--;
  return size === 0;
}

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
