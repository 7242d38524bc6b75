import { apiError, badRequest } from '@chandlery/api';
import { jsonBytes } from './json-bytes.ts';

/** Deeper than any honest object, and shallow enough for every recursive function to come. */
export const maxJsonDepth = 500;

/**
 * More values than an honest body has: objects of 1.5 MB have about a third of it. Whatever a request costs grows with
 * the number of its values rather than with their length, and every tenant waits meanwhile.
 */
export const maxJsonValues = 100_000;

/**
 * More keys than an honest map has: with so many, those of a ConfigMap of 1 MiB have 35 bytes each. V8 keeps a map of many
 * different keys as a hash table, whose every copy, walk or comparison costs far more for each key than a list does for
 * an item. Items of sets are counted likewise: they are keys of `managedFields`.
 */
export const maxMapKeys = 30_000;

/** What a scan finds in a text that is within the limits. */
export interface JsonScan {
  /** Whether a number has an exponent, and so may be one that a double cannot hold. */
  readonly hasExponents: boolean;
  /** How many keys all objects of the text have together, equal ones included. */
  readonly keys: number;
}

const { quote, comma, colon, openBracket, backslash, closeBracket, openBrace, closeBrace } = jsonBytes;
const [smallE, largeE, dot] = [0x65, 0x45, 0x2e];

/**
 * Scans brackets, commas and numbers of a JSON text, which need not be valid. Throws `BadRequest` for texts that are nested too
 * deep, `RequestEntityTooLarge` for those with too many values.
 */
export function scanJson(bytes: Uint8Array, maxValues = maxJsonValues): JsonScan {
  let depth = 0;
  let values = 1;
  let keys = 0;
  let hasExponents = false;
  const keysAtDepth: number[] = [];
  for (let position = 0; position < bytes.length; position++) {
    switch (bytes[position] ?? 0) {
      case quote:
        position = skipString(bytes, position);
        break;
      case openBrace:
      case openBracket:
        values++;
        if (++depth > maxJsonDepth) throw tooDeep();
        keysAtDepth[depth] = 0;
        break;
      case colon:
        keys++;
        keysAtDepth[depth] = (keysAtDepth[depth] ?? 0) + (isSelf(bytes, position) ? 0 : 1);
        if ((keysAtDepth[depth] ?? 0) > maxMapKeys) throw tooManyKeys();
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
  if (values > maxValues) throw tooManyValues(maxValues);
  return { hasExponents, keys };
}

/** Whether the key before a colon is `.`, which `managedFields` have besides one key for each of the map they describe. */
const isSelf = (bytes: Uint8Array, at: number): boolean => bytes[at - 2] === dot && bytes[at - 3] === quote;

/** A digit or a point: what stands before the exponent of a number, but never before the `e` of `true`. */
const isNumberByte = (byte = 0): boolean => (byte >= 0x30 && byte <= 0x39) || byte === 0x2e;

function skipString(bytes: Uint8Array, start: number): number {
  let position = start + 1;
  while (position < bytes.length && bytes[position] !== quote) position += bytes[position] === backslash ? 2 : 1;
  return position;
}

/** What a patch may add to an object that has more values than a body may have. */
const maxAddedValues = 1000;

interface Extent {
  values: number;
  keys: number;
}

/**
 * The same limits for a value that is no text: what a patch has made of an object, or what a message decodes to. An object
 * that had too many values `before` (one that is joined from several can) may have a few more now, and a map that had
 * too many keys as many.
 */
export function assertJsonLimits(value: unknown, before?: unknown): void {
  const extent = measure(value, before === undefined ? maxJsonValues : Number.POSITIVE_INFINITY);
  if (extent.values <= maxJsonValues && extent.keys <= maxMapKeys) return;
  const extentBefore = before === undefined ? { values: 0, keys: 0 } : measure(before, Number.POSITIVE_INFINITY);
  if (extent.values > Math.max(maxJsonValues, extentBefore.values + maxAddedValues)) throw tooManyValues();
  if (extent.keys > Math.max(maxMapKeys, extentBefore.keys)) throw tooManyKeys();
}

function measure(value: unknown, maxValues: number): Extent {
  const extent = { values: 0, keys: 0 };
  count(value, { extent, maxValues }, 0);
  return extent;
}

/** Counts values, and the keys of the object that has the most. */
function count(value: unknown, into: { readonly extent: Extent; readonly maxValues: number }, depth: number): void {
  const { extent, maxValues } = into;
  if (++extent.values > maxValues) throw tooManyValues();
  if (typeof value !== 'object' || value === null) return;
  if (depth >= maxJsonDepth) throw tooDeep();
  if (Array.isArray(value)) {
    for (const item of value) count(item, into, depth + 1);
    return;
  }
  const keys = Object.keys(value);
  extent.keys = Math.max(extent.keys, keys.length);
  for (const key of keys) count((value as Record<string, unknown>)[key], into, depth + 1);
}

const tooDeep = (): Error => badRequest(`the JSON is nested deeper than ${maxJsonDepth} levels`);

export const tooManyValues = (maxValues = maxJsonValues): Error =>
  apiError('RequestEntityTooLarge', `Request entity too large: it has more than ${maxValues} values`);

export const tooManyKeys = (): Error =>
  apiError('RequestEntityTooLarge', `Request entity too large: an object in it has more than ${maxMapKeys} keys`);
