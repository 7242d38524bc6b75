import { isDeepStrictEqual } from 'node:util';
import { Optional } from '@marcbachmann/cel-js';
import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { AddressBlock, IpAddress } from './functions/address.ts';
import { QuantityValue } from './functions/quantities.ts';
import { UrlValue } from './functions/urls.ts';
import { type UnorderedList, unorderedBy } from './unordered-list.ts';

/** A field of no declared type: rules cannot reach it, but equality of the object minds it. */
export class Untyped {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/** Equality of CEL values. Numbers of different types are equal when they stand for the same number. */
export function areEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object') return areEqualNumbers(left, right);
  if (left === null || right === null) return false;
  if (Array.isArray(left)) return Array.isArray(right) && areEqualLists(left, right);
  if (left instanceof Map) return right instanceof Map && areEqualMaps(left, right);
  return areEqualValues(left, right);
}

function areEqualNumbers(left: unknown, right: unknown): boolean {
  if (!isNumber(left) || !isNumber(right)) return false;
  const [a, b] = [numberOf(left), numberOf(right)];
  return a <= b && a >= b;
}

const isNumber = (value: unknown): value is number | bigint | UnsignedInt =>
  typeof value === 'number' || typeof value === 'bigint' || value instanceof UnsignedInt;

const numberOf = (value: number | bigint | UnsignedInt): number | bigint =>
  value instanceof UnsignedInt ? value.value : value;

function areEqualLists(left: UnorderedList, right: UnorderedList): boolean {
  if (left.length !== right.length) return false;
  const identify = left[unorderedBy] ?? right[unorderedBy];
  if (identify === undefined) return left.every((item, index) => areEqual(item, right[index]));
  const byIdentity = new Map(right.map(item => [identify(item), item]));
  return left.every(item => areEqual(item, byIdentity.get(identify(item))));
}

type AnyMap = ReadonlyMap<unknown, unknown>;

function areEqualMaps(left: AnyMap, right: AnyMap): boolean {
  if (left.size !== right.size) return false;
  for (const [key, value] of left) if (!right.has(key) || !areEqual(value, right.get(key))) return false;
  return true;
}

function areEqualValues(left: object, right: object): boolean {
  if (left instanceof Untyped) return right instanceof Untyped && isDeepStrictEqual(left.value, right.value);
  if (left instanceof Date) return right instanceof Date && left.getTime() === right.getTime();
  if (left instanceof Duration) {
    return right instanceof Duration && left.seconds === right.seconds && left.nanos === right.nanos;
  }
  if (left instanceof Uint8Array) return right instanceof Uint8Array && Buffer.compare(left, right) === 0;
  if (left instanceof Optional) return right instanceof Optional && areEqualOptionals(left, right);
  if (left instanceof QuantityValue) return right instanceof QuantityValue && left.nanos === right.nanos;
  if (left instanceof UrlValue) return right instanceof UrlValue && left.text === right.text;
  if (left instanceof IpAddress) return right instanceof IpAddress && left.equals(right);
  if (left instanceof AddressBlock) return right instanceof AddressBlock && left.equals(right);
  return areEqualNumbers(left, right);
}

function areEqualOptionals(left: Optional, right: Optional): boolean {
  if (!left.hasValue() || !right.hasValue()) return left.hasValue() === right.hasValue();
  return areEqual(left.value(), right.value());
}

/** True when a list holds the value, or a map the key. */
export function includes(container: unknown, value: unknown): boolean {
  if (Array.isArray(container)) return container.some(item => areEqual(item, value));
  return container instanceof Map && container.has(value);
}
