import { badRequest, findClosingQuote, parsingJson } from '@chandlery/api';
import type { Steps } from '@chandlery/platform';
import { type FieldPath, formatFieldPath } from './field-path.ts';
import { jsonBytes } from './json-bytes.ts';

export interface StrictJson {
  /** As `parseJson` gives it: the last of several equal keys wins. */
  readonly value: unknown;
  /** The fields that stand more than once in the same object, as `spec.replicas`; the first hundred of them. */
  readonly duplicates: readonly string[];
}

const maxReported = 100;
const { quote, comma, colon, openBracket, closeBracket, openBrace, closeBrace } = jsonBytes;

/**
 * Parses JSON, whose depth has been checked, and finds keys given twice: `keys` is the number of keys in the text, which
 * shows at once that there are none. Throws `BadRequest` for text that is no JSON.
 */
export function* parseJsonStrict(text: string, keys: number): Steps<StrictJson> {
  const value = yield* parse(text);
  yield;
  if (countKeys(value) === keys) return { value, duplicates: [] };
  yield;
  return { value, duplicates: yield* findDuplicateKeys(text) };
}

function* parse(text: string): Steps<unknown> {
  try {
    return yield* parsingJson(text);
  } catch (thrown) {
    throw badRequest(`cannot decode JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countKeys(item);
    return count;
  }
  const keys = Object.keys(value);
  for (const key of keys) count += countKeys((value as Record<string, unknown>)[key]);
  return count + keys.length;
}

/** An object or list that is open at the scan's position. */
interface Level {
  /** The keys so far; undefined for a list. */
  readonly keys: Set<string> | undefined;
  /** The last key, or the number of the current item. */
  at: string | number;
}

/** So many characters are scanned in one step. */
const stepLength = 100_000;

/** One scan over text that is known to be valid JSON. */
export function* findDuplicateKeys(text: string): Steps<string[]> {
  const duplicates = new Set<string>();
  const levels: Level[] = [];
  let stepEnd = stepLength;
  for (let position = 0; position < text.length && duplicates.size < maxReported; position++) {
    if (position > stepEnd) {
      stepEnd = position + stepLength;
      yield;
    }
    switch (text.charCodeAt(position)) {
      case quote:
        position = readString(text, position, levels, duplicates);
        break;
      case openBrace:
        levels.push({ keys: new Set(), at: '' });
        break;
      case openBracket:
        levels.push({ keys: undefined, at: 0 });
        break;
      case closeBrace:
      case closeBracket:
        levels.pop();
        break;
      case comma:
        countItem(levels.at(-1));
        break;
    }
  }
  return [...duplicates];
}

function countItem(level: Level | undefined): void {
  if (typeof level?.at === 'number') level.at++;
}

/** Notes the text if it is a key; returns the position of its closing quote. */
function readString(text: string, start: number, levels: readonly Level[], duplicates: Set<string>): number {
  const end = findClosingQuote(text, start);
  const level = levels.at(-1);
  if (level?.keys === undefined || !isFollowedByColon(text, end)) return end;
  const key = decodeKey(text, start, end);
  level.at = key;
  if (!level.keys.has(key)) level.keys.add(key);
  else duplicates.add(formatFieldPath(pathOf(levels)));
  return end;
}

const pathOf = (levels: readonly Level[]): FieldPath => levels.map(level => level.at);

/** In an object, only keys are: values are followed by a comma or a brace. */
function isFollowedByColon(text: string, end: number): boolean {
  let position = end + 1;
  while (text.charCodeAt(position) <= 0x20) position++;
  return text.charCodeAt(position) === colon;
}

function decodeKey(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end);
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
}
