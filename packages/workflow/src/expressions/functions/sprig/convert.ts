import { toInt64, truncate } from '../../values/arithmetic.ts';
import { fail } from '../../values/failure.ts';
import { formatValue } from '../../values/format-value.ts';
import type { Meter } from '../../values/meter.ts';
import { AnyMap, Bytes, Duration, isList, isStringMap, type Value } from '../../values/value.ts';
import { parseGoFloat } from '../parse-float.ts';

/** sprig's int64: 0 for what is no number. Texts may be decimal, `0x`, `0o`, `0b`, or octal with a leading zero. */
export function castInt(value: Value): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return truncate(value);
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (value instanceof Duration) return value.nanoseconds;
  return typeof value === 'string' ? parseInteger(value.replace(/\.0*$/, '')) : 0n;
}

function parseInteger(text: string): bigint {
  const match = /^([+-]?)(0[xX][\da-fA-F]{1,16}|0[bB][01]{1,64}|0[oO]?[0-7]{1,22}|0|[1-9]\d{0,18})$/.exec(text);
  if (match === null) return 0n;
  const digits = (match[2] ?? '').replace(/^0(?=\d)/, '0o');
  const value = match[1] === '-' ? -BigInt(digits) : BigInt(digits);
  return toInt64(value) === value ? value : 0n;
}

/** sprig's float64: 0 for what is no number. */
export function castFloat(value: Value): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'string' ? (parseGoFloat(value) ?? 0) : 0;
}

/** Whether a value is what Go starts variables with: nil, false, 0, nothing inside. */
export function isEmpty(value: Value): boolean {
  if (value === null || value === false || value === '' || value === 0 || value === 0n) return true;
  if (isList(value)) return value.length === 0;
  if (value instanceof AnyMap) return value.entries.size === 0;
  return isStringMap(value) && Object.keys(value).length === 0;
}

/** sprig's text of a value. */
export const textOf = (value: Value, meter: Meter): string =>
  value instanceof Bytes ? value.content.toString() : formatValue(value, meter);

/** The texts of a list's items, or of a single value; nil is left out. */
export function textsOf(value: Value, meter: Meter): string[] {
  if (value === null) return [];
  return (isList(value) ? value : [value]).filter(item => item !== null).map(item => textOf(item, meter));
}

/** The value as a list, or a failure. */
export function listOf(value: Value, problem: string): readonly Value[] {
  return isList(value) ? value : fail(`${problem} ${kindName(value)}`);
}

/** Go's reflect.Kind. */
export function kindName(value: Value): string {
  if (value === null) return 'invalid';
  if (isList(value)) return 'slice';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map';
}
