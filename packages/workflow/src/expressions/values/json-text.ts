import { formatRfc3339 } from '../dates/format-time.ts';
import { Failure, fail } from './failure.ts';
import type { Meter } from './meter.ts';
import {
  AnyMap,
  Bytes,
  Callable,
  Duration,
  isList,
  type StringMap,
  sortedEntries,
  Time,
  TimeZone,
  type Value,
} from './value.ts';

/** A value as Go's encoding/json writes it: sorted keys, `<`, `>` and `&` escaped. Throws a Failure for what has no JSON text. */
export function goJson(value: Value, meter: Meter): string {
  return write(value, { meter, newline: '', indent: '', colon: ':', escapesHtml: true }, '');
}

/** Like {@link goJson}, over several lines. */
export function goJsonIndented(value: Value, meter: Meter, indent = '  '): string {
  return write(value, { meter, newline: '\n', indent, colon: ': ', escapesHtml: true }, '');
}

/** Like {@link goJson}, without escapes for HTML. */
export function goJsonRaw(value: Value, meter: Meter): string {
  return write(value, { meter, newline: '', indent: '', colon: ':', escapesHtml: false }, '');
}

interface Style {
  readonly meter: Meter;
  readonly newline: string;
  readonly indent: string;
  readonly colon: string;
  readonly escapesHtml: boolean;
}

function write(value: Value, style: Style, margin: string): string {
  style.meter.charge(1);
  if (value === null) return 'null';
  if (typeof value === 'string') return quote(value, style);
  if (typeof value === 'number') return numberText(value);
  if (typeof value !== 'object') return String(value);
  if (isList(value)) return writeList(value, style, margin);
  if (value instanceof Time) return JSON.stringify(formatRfc3339(value));
  if (value instanceof Duration) return String(value.nanoseconds);
  if (value instanceof Bytes) return JSON.stringify(value.content.toString('base64'));
  if (value instanceof TimeZone) return '{}';
  if (value instanceof AnyMap) throw new Failure(`json: unsupported type: ${value.typeName}`);
  if (value instanceof Callable) return fail('json: unsupported type: func(...interface {}) interface {}');
  return writeMap(value, style, margin);
}

function writeList(list: readonly Value[], style: Style, margin: string): string {
  const inner = margin + style.indent;
  return enclose(
    '[',
    ']',
    list.map(item => write(item, style, inner)),
    style,
    margin,
  );
}

function writeMap(map: StringMap, style: Style, margin: string): string {
  const inner = margin + style.indent;
  const pairs = sortedEntries(map).map(
    ([key, item]) => quote(key, style) + style.colon + write(item ?? null, style, inner),
  );
  return enclose('{', '}', pairs, style, margin);
}

function enclose(open: string, close: string, parts: readonly string[], style: Style, margin: string): string {
  if (parts.length === 0) return open + close;
  const { newline, indent, meter } = style;
  const separator = newline === '' ? ',' : `,${newline}${margin}${indent}`;
  const text = parts.join(separator);
  meter.chargeText(text.length);
  return newline === '' ? open + text + close : `${open}${newline}${margin}${indent}${text}${newline}${margin}${close}`;
}

function quote(text: string, { meter, escapesHtml }: Style): string {
  meter.chargeText(text.length);
  const quoted = JSON.stringify(text.toWellFormed()).replaceAll(/[\u2028\u2029]/g, escapeCharacter);
  return escapesHtml ? quoted.replaceAll(/[<>&]/g, escapeCharacter) : quoted;
}

const escapeCharacter = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** JavaScript writes floats as Go's encoding/json does, but for the sign of zero. */
export function numberText(value: number): string {
  if (Object.is(value, -0)) return '-0';
  if (Number.isFinite(value)) return String(value);
  return fail(`json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`);
}
