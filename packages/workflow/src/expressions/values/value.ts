import type { Meter } from './meter.ts';

/**
 * A value of the expression language, with Go's types kept apart where results show them: a JavaScript number is a float64, a bigint an int.
 * Objects are maps with string keys, of which only own keys exist.
 */
export type Value =
  | null
  | boolean
  | string
  | bigint
  | number
  | readonly Value[]
  | StringMap
  | AnyMap
  | Time
  | Duration
  | TimeZone
  | Bytes
  | Callable;

/** `map[string]any`. */
export interface StringMap {
  readonly [key: string]: Value;
}

/** `map[any]any`: what `fromPairs` and `groupBy` return. It has no JSON text. */
export class AnyMap {
  readonly entries: ReadonlyMap<Value, Value>;
  /** Go's name of the type. */
  readonly typeName: string;

  constructor(entries: ReadonlyMap<Value, Value>, typeName = 'map[interface {}]interface {}') {
    this.entries = entries;
    this.typeName = typeName;
  }
}

/** An instant with nanoseconds, shown in a time zone. */
export class Time {
  readonly nanoseconds: bigint;
  readonly zone: TimeZone;

  constructor(nanoseconds: bigint, zone: TimeZone) {
    this.nanoseconds = nanoseconds;
    this.zone = zone;
  }
}

/** Nanoseconds between two instants. */
export class Duration {
  readonly nanoseconds: bigint;

  constructor(nanoseconds: bigint) {
    this.nanoseconds = BigInt.asIntN(64, nanoseconds);
  }
}

/** A named zone of the IANA database, or a fixed offset. */
export class TimeZone {
  readonly name: string;
  /** Offset in seconds of a fixed zone; undefined for a zone of the database. */
  readonly fixedOffset: number | undefined;

  constructor(name: string, fixedOffset?: number) {
    this.name = name;
    this.fixedOffset = fixedOffset;
  }
}

/** `[]byte`. */
export class Bytes {
  readonly content: Buffer;

  constructor(content: Buffer) {
    this.content = content;
  }
}

/** What a function gets besides its arguments. */
export interface CallContext {
  readonly meter: Meter;
  /** The clock, in milliseconds since 1970. Throws when none was given. */
  readonly now: () => number;
  /** A number from 0 (included) to 1 (excluded). Throws when no source was given. */
  readonly random: () => number;
}

/** A function as a value: those of sprig and Argo. */
export class Callable {
  readonly call: (args: readonly Value[], context: CallContext) => Value;

  constructor(call: (args: readonly Value[], context: CallContext) => Value) {
    this.call = call;
  }
}

export const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

export const isNumber = (value: Value): value is bigint | number =>
  typeof value === 'bigint' || typeof value === 'number';

export function isStringMap(value: Value): value is StringMap {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** A new map. It has no prototype, so that every key, `__proto__` too, is only a key. */
export function createMap(entries: Iterable<readonly [string, Value]> = []): Record<string, Value> {
  const map = Object.create(null) as Record<string, Value>;
  for (const [key, value] of entries) map[key] = value;
  return map;
}

/** The value of a key; undefined when the map has none. */
export function ownValue(map: StringMap, key: string): Value | undefined {
  return Object.hasOwn(map, key) ? (map[key] ?? null) : undefined;
}

/** Entries in the order of their keys, where Go's order is random. */
export const sortedEntries = (map: StringMap): [string, Value][] =>
  Object.entries(map).sort(([a], [b]) => compareText(a, b));

/** Orders texts by their UTF-8 bytes, as Go does. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (hasSurrogates.test(a) || hasSurrogates.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}

const hasSurrogates = /[\ud800-\udfff]/;

/** Go's name of the type of a value, as in its messages. */
export function typeName(value: Value): string {
  if (value === null) return '<nil>';
  if (typeof value !== 'object') return scalarTypeNames[typeof value] ?? 'unknown';
  if (isList(value)) return '[]interface {}';
  if (value instanceof AnyMap) return value.typeName;
  if (value instanceof Time) return 'time.Time';
  if (value instanceof Duration) return 'time.Duration';
  if (value instanceof TimeZone) return '*time.Location';
  if (value instanceof Bytes) return '[]uint8';
  return value instanceof Callable ? 'func' : 'map[string]interface {}';
}

const scalarTypeNames: Readonly<Record<string, string>> = {
  boolean: 'bool',
  string: 'string',
  bigint: 'int',
  number: 'float64',
};
