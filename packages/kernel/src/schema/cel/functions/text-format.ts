const maxResultLength = 5_000_000;

/** Many short references to one long text make an endless one. */
export function expectLength(length: number): void {
  if (length > maxResultLength) throw new Error(`a text of more than ${maxResultLength} characters`);
}

/** A value as `%s` and `string()` show it. */
function showValue(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Date) return showTime(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (Array.isArray(value)) return `[${value.map(showInside).join(', ')}]`;
  if (value instanceof Map) return showMap([...value]);
  return String(value);
}

const showInside = (value: unknown): string => (typeof value === 'string' ? JSON.stringify(value) : showValue(value));

const showMap = (entries: readonly (readonly [unknown, unknown])[]): string =>
  `{${entries.map(([key, value]) => `${showInside(key)}: ${showInside(value)}`).join(', ')}}`;

/** RFC 3339 with no more digits than needed. */
export const showTime = (time: Date): string => time.toISOString().replace(/\.?0*Z$/, 'Z');

/** `'%s is %d'.format([name, age])`: the verbs s, d, f, e, b, o, x, X and %. */
export function formatText(template: string, values: readonly unknown[]): string {
  let next = 0;
  let length = template.length;
  return template.replace(
    /%(?:%|(?:\.(\d{1,3}))?(.))/gsu,
    (clause: string, precision: string | undefined, verb: string | undefined) => {
      if (verb === undefined) return '%';
      if (next >= values.length) throw new Error(`index ${next} out of range`);
      const shown = formatValue(
        values[next++],
        verb,
        precision === undefined ? 6 : Math.min(100, Number(precision)),
        clause,
      );
      expectLength((length += shown.length));
      return shown;
    },
  );
}

function formatValue(value: unknown, verb: string, precision: number, clause: string): string {
  if (verb === 's') return showValue(value);
  if (verb === 'f' && isNumber(value)) return Number(value).toFixed(precision);
  if (verb === 'e' && isNumber(value))
    return Number(value)
      .toExponential(precision)
      .replace(/e([+-])(\d)$/, 'e$10$2');
  if (verb === 'd' && isNumber(value)) return String(value);
  if (verb === 'b' && typeof value === 'boolean') return value ? '1' : '0';
  const radix = radixes[verb.toLowerCase()];
  const digits = radix === undefined ? undefined : inRadix(value, radix);
  if (digits === undefined) throw new Error(`cannot format a value of this type with ${JSON.stringify(clause)}`);
  return verb === 'X' ? digits.toUpperCase() : digits;
}

const isNumber = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

const radixes: Readonly<Record<string, number>> = { b: 2, o: 8, x: 16 };

function inRadix(value: unknown, radix: number): string | undefined {
  if (typeof value === 'bigint') return value.toString(radix);
  if (radix !== 16) return undefined;
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : undefined;
}
