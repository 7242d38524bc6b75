import { formatDuration } from '../dates/duration.ts';
import { formatGoTime } from '../dates/format-time.ts';
import type { Meter } from './meter.ts';
import { AnyMap, Bytes, Callable, Duration, isList, sortedEntries, Time, TimeZone, type Value } from './value.ts';

/** A value as Go's `%v` prints it. */
export function formatValue(value: Value, meter: Meter): string {
  meter.charge(1);
  if (value === null) return '<nil>';
  if (typeof value === 'string') {
    meter.chargeText(value.length);
    return value;
  }
  if (typeof value === 'number') return formatFloat(value);
  if (typeof value !== 'object') return String(value);
  return charged(formatObject(value, meter), meter);
}

function charged(text: string, meter: Meter): string {
  meter.chargeText(text.length);
  return text;
}

function formatObject(value: Exclude<Value, null | string | number | bigint | boolean>, meter: Meter): string {
  if (isList(value)) return `[${value.map(item => formatValue(item, meter)).join(' ')}]`;
  if (value instanceof Time) return formatGoTime(value);
  if (value instanceof Duration) return formatDuration(value.nanoseconds);
  if (value instanceof TimeZone) return value.name;
  if (value instanceof Bytes) return `[${[...value.content].join(' ')}]`;
  if (value instanceof AnyMap) return formatPairs([...value.entries], meter);
  if (value instanceof Callable) return 'func';
  return formatPairs(sortedEntries(value), meter);
}

function formatPairs(entries: readonly (readonly [Value, Value])[], meter: Meter): string {
  const pairs = entries.map(([key, item]) => `${formatValue(key, meter)}:${formatValue(item ?? null, meter)}`);
  return `map[${pairs.join(' ')}]`;
}

/** Exponents from which on `%g` writes them. */
const minExponent = -4;
const maxExponent = 6;

/** Go's `%v` of a float64: the shortest text, with an exponent for large and small numbers. */
export function formatFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const [digits = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= minExponent && exponent < maxExponent) return String(value);
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}
