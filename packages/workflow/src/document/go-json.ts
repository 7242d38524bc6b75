import type { JsonValue } from '@chandlery/api';

const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** JSON as Go's encoding/json writes it: keys sorted, no blanks, characters that are special in HTML escaped. */
export function goJson(value: JsonValue | undefined): string {
  if (typeof value === 'string') return goString(value);
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const fields = Object.keys(value).sort();
  const present = fields.filter(key => value[key] !== undefined);
  return `{${present.map(key => `${goString(key)}:${goJson(value[key])}`).join(',')}}`;
}

const goString = (text: string): string =>
  JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, character => escapes[character] ?? character);
