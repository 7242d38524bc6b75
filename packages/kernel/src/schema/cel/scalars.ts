import { parseTime, type StructuralSchema } from '@chandlery/api';
import { Duration } from '@marcbachmann/cel-js/evaluator';

/** How a scalar of a schema appears in rules. */
export interface ScalarType {
  readonly name: string;
  readonly convert: (value: unknown) => unknown;
}

const same = (value: unknown): unknown => value;
const toInteger = (value: unknown): unknown => (Number.isInteger(value) ? BigInt(value as number) : value);

const toDouble = (value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);

const text: ScalarType = { name: 'string', convert: same };
const time: ScalarType = { name: 'google.protobuf.Timestamp', convert: value => toTime(String(value)) };

const textTypes: Readonly<Record<string, ScalarType>> = {
  byte: { name: 'bytes', convert: value => new Uint8Array(Buffer.from(String(value), 'base64')) },
  date: time,
  'date-time': time,
  duration: { name: 'google.protobuf.Duration', convert: value => toDuration(String(value)) },
};

/** Undefined for lists, objects, and values of no declared type. */
export function scalarTypeOf(schema: StructuralSchema): ScalarType | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return { name: 'dyn', convert: toInteger };
  switch (schema.type) {
    case 'string':
      return (Object.hasOwn(textTypes, schema.format ?? '') ? textTypes[schema.format ?? ''] : undefined) ?? text;
    case 'integer':
      return { name: 'int', convert: toInteger };
    case 'number':
      return { name: 'double', convert: toDouble };
    case 'boolean':
      return { name: 'bool', convert: same };
    default:
      return undefined;
  }
}

function toTime(value: string): Date {
  const date = parseTime(value) ?? new Date(value);
  if (Number.isNaN(date.getTime())) throw new Error(`${JSON.stringify(value)} is no time`);
  return date;
}

const nanosOf: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
  w: 604_800_000_000_000n,
};

/** The forms that the format `duration` takes: `1h30m`, `-1.5s`, `3 days`. */
function toDuration(value: string): Duration {
  let nanos = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of value.matchAll(/(\d*)(?:\.(\d*))?\s*([a-zµμ]+)/gi)) {
    const scale = nanosOf[unitOf(unit)] ?? 1n;
    const digits = fraction.slice(0, 18);
    nanos += BigInt(whole || '0') * scale + (BigInt(digits || '0') * scale) / 10n ** BigInt(digits.length);
  }
  const signed = value.startsWith('-') ? -nanos : nanos;
  return new Duration(signed / 1_000_000_000n, Number(signed % 1_000_000_000n));
}

function unitOf(word: string): string {
  const unit = word.toLowerCase().replace(/^[µμ]s$/, 'us');
  if (Object.hasOwn(nanosOf, unit)) return unit;
  const long = ['nano:ns', 'micro:us', 'milli:ms', 'sec:s', 'min:m', 'h:h', 'day:d', 'week:w'];
  return long.find(entry => unit.startsWith(entry.split(':')[0] ?? ''))?.split(':')[1] ?? 's';
}
