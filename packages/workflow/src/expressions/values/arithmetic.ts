import { fail } from './failure.ts';
import type { Meter } from './meter.ts';
import { compareText, Duration, isNumber, Time, typeName, type Value } from './value.ts';

export const toInt64 = (value: bigint): bigint => BigInt.asIntN(64, value);

const undefinedOperation = (a: Value, operator: string, b: Value): never =>
  fail(`invalid operation: ${typeName(a)} ${operator} ${typeName(b)}`);

export function add(a: Value, b: Value, meter: Meter): Value {
  if (typeof a === 'bigint' && typeof b === 'bigint') return toInt64(a + b);
  if (isNumber(a) && isNumber(b)) return Number(a) + Number(b);
  if (typeof a === 'string' && typeof b === 'string') {
    meter.chargeText(a.length + b.length);
    return a + b;
  }
  if (a instanceof Time && b instanceof Duration) return new Time(a.nanoseconds + b.nanoseconds, a.zone);
  if (a instanceof Duration && b instanceof Time) return new Time(a.nanoseconds + b.nanoseconds, b.zone);
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.nanoseconds + b.nanoseconds);
  return undefinedOperation(a, '+', b);
}

export function subtract(a: Value, b: Value): Value {
  if (typeof a === 'bigint' && typeof b === 'bigint') return toInt64(a - b);
  if (isNumber(a) && isNumber(b)) return Number(a) - Number(b);
  if (a instanceof Time && b instanceof Time) return new Duration(a.nanoseconds - b.nanoseconds);
  if (a instanceof Time && b instanceof Duration) return new Time(a.nanoseconds - b.nanoseconds, a.zone);
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.nanoseconds - b.nanoseconds);
  return undefinedOperation(a, '-', b);
}

export function multiply(a: Value, b: Value): Value {
  if (typeof a === 'bigint' && typeof b === 'bigint') return toInt64(a * b);
  if (isNumber(a) && isNumber(b)) return Number(a) * Number(b);
  const isTimes = (a instanceof Duration || isNumber(a)) && (b instanceof Duration || isNumber(b));
  if (!isTimes) return undefinedOperation(a, '*', b);
  if (typeof a === 'number' || typeof b === 'number') return Number(amount(a)) * Number(amount(b));
  return new Duration(BigInt(amount(a)) * BigInt(amount(b)));
}

const amount = (value: Duration | bigint | number): bigint | number =>
  value instanceof Duration ? value.nanoseconds : value;

/** Always a float, of ints too. */
export function divide(a: Value, b: Value): Value {
  return isNumber(a) && isNumber(b) ? Number(a) / Number(b) : undefinedOperation(a, '/', b);
}

export function modulo(a: Value, b: Value): Value {
  if (typeof a !== 'bigint' || typeof b !== 'bigint') return undefinedOperation(a, '%', b);
  return b === 0n ? fail('integer divide by zero') : a % b;
}

export function power(a: Value, b: Value): number {
  return toFloat(a) ** toFloat(b);
}

export function negate(value: Value): Value {
  if (typeof value === 'bigint') return toInt64(-value);
  return typeof value === 'number' ? -value : fail(`invalid operation: - ${typeName(value)}`);
}

/** Negative, zero or positive. Throws when there is no order between the two. */
export function compare(a: Value, b: Value, operator: string): number {
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : a == b ? 0 : Number.NaN; // oxlint-disable-line eqeqeq
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  const isOrdered = (a instanceof Time && b instanceof Time) || (a instanceof Duration && b instanceof Duration);
  return isOrdered ? Number(a.nanoseconds - b.nanoseconds) : undefinedOperation(a, operator, b);
}

export function toFloat(value: Value): number {
  return isNumber(value) ? Number(value) : fail(`invalid operation: float(${typeName(value)})`);
}

/** Go's conversion to int: the part before the point. */
export function toInt(value: Value): bigint {
  if (typeof value === 'bigint') return value;
  return typeof value === 'number' ? truncate(value) : fail(`invalid operation: int(${typeName(value)})`);
}

const minInt64 = -(2n ** 63n);

/** The int of a float; like x86 for floats that have none. */
export function truncate(value: number): bigint {
  const isInRange = value >= -(2 ** 63) && value < 2 ** 63;
  return isInRange ? BigInt(Math.trunc(value)) : minInt64;
}

/** An index as a JavaScript number. */
export const toIndex = (value: Value): number => Number(toInt(value));
