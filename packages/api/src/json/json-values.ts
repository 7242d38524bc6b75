import type { JsonObject, JsonValue } from '../object.ts';
// Values are written with exact integers.
import './big-integers.ts';

/** Whether a value is a JSON object: neither a list nor null nor a scalar. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** As {@link isJsonObject}, for objects whose fields have unknown types. */
export const isRecord = (value: unknown): value is Record<string, unknown> => isJsonObject(value);

/** Reads a key of the object's own; properties of `Object.prototype` are not data. */
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

/** A deep copy without keys whose value is undefined; several times faster than `structuredClone`. */
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

/** JSON text with the keys of every object sorted: equal values have equal texts. Undefined fields are left out. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  let text = '';
  const fields = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(fields).sort()) {
    const field = fields[key];
    if (field !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(field)}`;
  }
  return `{${text}}`;
}

/** Equality of JSON values: the order of keys does not matter, that of lists does, an undefined field counts as absent. */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left === 'bigint') return isSameNumber(left, right);
  if (typeof right === 'bigint') return isSameNumber(right, left);
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left)) return Array.isArray(right) && isSameList(left, right);
  return !Array.isArray(right) && isSameObject(left as JsonObject, right as JsonObject);
}

/** Whether JSON writes both numbers with the same digits. */
const isSameNumber = (left: bigint, right: unknown): boolean =>
  typeof right === 'number' && String(left) === String(right);

function isSameList(left: readonly unknown[], right: readonly unknown[]): boolean {
  if (left.length !== right.length) return false;
  for (let i = 0; i < left.length; i++) if (!isSameJson(left[i], right[i])) return false;
  return true;
}

function isSameObject(left: JsonObject, right: JsonObject): boolean {
  let size = 0;
  for (const key of Object.keys(left)) {
    const value = left[key];
    if (value === undefined) continue;
    if (!isSameJson(value, getOwn(right, key))) return false;
    size++;
  }
  for (const key of Object.keys(right)) if (right[key] !== undefined) size--;
  return size === 0;
}

type Fields = Readonly<Record<string, unknown>>;

/** The merge patch (RFC 7386) that turns `before` into `after`; undefined when they are the same. */
export function mergeDiff(before: Fields, after: Fields): Record<string, unknown> | undefined {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...keys].filter(key => !isSameJson(ownField(before, key), ownField(after, key)));
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map(key => [key, fieldDiff(ownField(before, key), ownField(after, key))]));
}

/** As {@link getOwn}, for fields of unknown types. */
const ownField = (fields: Fields, key: string): unknown => (Object.hasOwn(fields, key) ? fields[key] : undefined);

function fieldDiff(before: unknown, after: unknown): unknown {
  if (after === undefined) return null;
  return isRecord(before) && isRecord(after) ? mergeDiff(before, after) : after;
}
