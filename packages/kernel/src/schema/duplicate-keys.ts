import { badRequest, findClosingQuote, parseJson } from '@chandlery/api';
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

/** Parses JSON, whose depth has been checked, and finds keys given twice. Throws `BadRequest` for text that is no JSON. */
export function parseJsonStrict(text: string): StrictJson {
  return { value: parse(text), duplicates: findDuplicateKeys(text) };
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch (thrown) {
    throw badRequest(`cannot decode JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

/** An object or list that is open at the scan's position. */
interface Level {
  /** The keys so far; undefined for a list. */
  readonly keys: Set<string> | undefined;
  /** The last key, or the number of the current item. */
  at: string | number;
}

/** One scan over text that is known to be valid JSON. */
export function findDuplicateKeys(text: string): string[] {
  const duplicates = new Set<string>();
  const levels: Level[] = [];
  for (let position = 0; position < text.length; position++) {
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

/** Notes the text if it is a key; answers the position of its closing quote. */
function readString(text: string, start: number, levels: readonly Level[], duplicates: Set<string>): number {
  const end = findClosingQuote(text, start);
  const level = levels.at(-1);
  if (level?.keys === undefined || !isFollowedByColon(text, end)) return end;
  const key = decodeKey(text, start, end);
  level.at = key;
  if (!level.keys.has(key)) level.keys.add(key);
  else if (duplicates.size < maxReported) duplicates.add(formatFieldPath(pathOf(levels)));
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
