import { apiError, badRequest } from '@chandlery/api';
import { jsonBytes } from './json-bytes.ts';

/** Deeper than any honest object, and shallow enough for every recursive function to come. */
export const maxJsonDepth = 500;

/**
 * More values than an honest body has: objects of 1.5 MB have about a third of it. Whatever a request costs grows with
 * the number of its values rather than with their length, and every tenant waits meanwhile.
 */
export const maxJsonValues = 100_000;

/** What a scan finds in a text that is within the limits. */
export interface JsonScan {
  /** Whether a number has an exponent, and so may be one that a double cannot hold. */
  readonly hasExponents: boolean;
}

const { quote, comma, openBracket, backslash, closeBracket, openBrace, closeBrace } = jsonBytes;
const [smallE, largeE] = [0x65, 0x45];

/**
 * Scans brackets, commas and numbers of a JSON text, which need not be valid. Throws `BadRequest` for texts that are nested too
 * deep, `RequestEntityTooLarge` for those with too many values.
 */
export function scanJson(bytes: Uint8Array): JsonScan {
  let depth = 0;
  let values = 1;
  let hasExponents = false;
  for (let position = 0; position < bytes.length; position++) {
    switch (bytes[position] ?? 0) {
      case quote:
        position = skipString(bytes, position);
        break;
      case openBrace:
      case openBracket:
        values++;
        if (++depth > maxJsonDepth) throw tooDeep();
        break;
      case closeBrace:
      case closeBracket:
        depth--;
        break;
      case comma:
        values++;
        break;
      case smallE:
      case largeE:
        hasExponents ||= isNumberByte(bytes[position - 1]);
        break;
    }
  }
  if (values > maxJsonValues) throw tooManyValues();
  return { hasExponents };
}

/** A digit or a point: what stands before the exponent of a number, but never before the `e` of `true`. */
const isNumberByte = (byte = 0): boolean => (byte >= 0x30 && byte <= 0x39) || byte === 0x2e;

function skipString(bytes: Uint8Array, start: number): number {
  let position = start + 1;
  while (position < bytes.length && bytes[position] !== quote) position += bytes[position] === backslash ? 2 : 1;
  return position;
}

/** The same limits for a value that is no text: what a patch has made of an object. */
export function assertJsonLimits(value: unknown): void {
  const limits = { valuesLeft: maxJsonValues };
  count(value, limits, 0);
}

function count(value: unknown, limits: { valuesLeft: number }, depth: number): void {
  if (--limits.valuesLeft < 0) throw tooManyValues();
  if (typeof value !== 'object' || value === null) return;
  if (depth >= maxJsonDepth) throw tooDeep();
  if (Array.isArray(value)) for (const item of value) count(item, limits, depth + 1);
  else for (const key of Object.keys(value)) count((value as Record<string, unknown>)[key], limits, depth + 1);
}

const tooDeep = (): Error => badRequest(`the JSON is nested deeper than ${maxJsonDepth} levels`);

const tooManyValues = (): Error =>
  apiError('RequestEntityTooLarge', `Request entity too large: it has more than ${maxJsonValues} values`);
