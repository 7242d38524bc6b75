import { type Duration, type Environment } from '@marcbachmann/cel-js/evaluator';
import { registerIn } from './register.ts';
import { expectLength, formatText, showTime } from './text-format.ts';

const hasSurrogates = (text: string): boolean => /[\ud800-\udfff]/.test(text);

/** CEL counts characters, JavaScript counts halves of some. */
const unitsOf = (text: string, characters: number): number =>
  hasSurrogates(text) ? Array.from(text).slice(0, characters).join('').length : characters;

const charactersOf = (text: string, units: number): number =>
  hasSurrogates(text) ? Array.from(text.slice(0, units)).length : units;

const lengthOf = (text: string): number => charactersOf(text, text.length);

function checkIndex(text: string, index: number): number {
  if (index < 0 || index > lengthOf(text)) throw new Error(`index out of range: ${index}`);
  return index;
}

function indexOf(text: string, search: string, from = 0n): bigint {
  const found = text.indexOf(search, unitsOf(text, checkIndex(text, Number(from))));
  return BigInt(found < 0 ? -1 : charactersOf(text, found));
}

function lastIndexOf(text: string, search: string, from?: bigint): bigint {
  const start = from === undefined ? text.length : unitsOf(text, checkIndex(text, Number(from)));
  const found = text.lastIndexOf(search, start);
  return BigInt(found < 0 ? -1 : charactersOf(text, found));
}

function substring(text: string, start: bigint, end?: bigint): string {
  const from = checkIndex(text, Number(start));
  const to = end === undefined ? lengthOf(text) : checkIndex(text, Number(end));
  if (from > to) throw new Error(`invalid substring range. start: ${from}, end: ${to}`);
  return text.slice(unitsOf(text, from), unitsOf(text, to));
}

function charAt(text: string, index: bigint): string {
  const at = checkIndex(text, Number(index));
  return hasSurrogates(text) ? (Array.from(text)[at] ?? '') : text.charAt(at);
}

const splitAll = (text: string, separator: string): string[] =>
  separator === '' ? Array.from(text) : text.split(separator);

function split(text: string, separator: string, limit = -1n): string[] {
  const parts = splitAll(text, separator);
  const max = Number(limit);
  if (max < 0 || parts.length <= max) return parts;
  return max === 0 ? [] : [...parts.slice(0, max - 1), parts.slice(max - 1).join(separator)];
}

function replace(text: string, search: string, replacement: string, limit = -1n): string {
  const parts = splitForReplace(text, search);
  const count = limit < 0n ? parts.length - 1 : Math.min(Number(limit), parts.length - 1);
  expectLength(text.length + count * replacement.length);
  return [...parts.slice(0, count), parts.slice(count).join(search)].join(replacement);
}

/** An empty text is found before every character and at the end. */
const splitForReplace = (text: string, search: string): string[] =>
  search === '' ? ['', ...Array.from(text), ''] : text.split(search);

const lowerAscii = (text: string): string => text.replace(/[A-Z]+/g, part => part.toLowerCase());
const upperAscii = (text: string): string => text.replace(/[a-z]+/g, part => part.toUpperCase());

function join(list: readonly unknown[], separator = ''): string {
  if (!list.every(item => typeof item === 'string'))
    throw new Error('no such overload: join of a list with other values than texts');
  expectLength(list.reduce((sum: number, item) => sum + item.length + separator.length, 0));
  return list.join(separator);
}

const quote = (_: unknown, text: string): string => JSON.stringify(text);

class StringsNamespace {}

/** Functions on texts. The names start with `our` where the library has a function that differs. */
export function registerTextFunctions(environment: Environment): void {
  const register = registerIn(environment);
  register('string.charAt(int): string', charAt);
  register('string.ourIndexOf(string): int', indexOf);
  register('string.ourIndexOf(string, int): int', indexOf);
  register('string.ourLastIndexOf(string): int', lastIndexOf);
  register('string.ourLastIndexOf(string, int): int', lastIndexOf);
  register('string.ourSubstring(int): string', substring);
  register('string.ourSubstring(int, int): string', substring);
  register('string.ourSplit(string): list<string>', split);
  register('string.ourSplit(string, int): list<string>', split);
  register('string.replace(string, string): string', replace);
  register('string.replace(string, string, int): string', replace);
  register('string.ourLowerAscii(): string', lowerAscii);
  register('string.ourUpperAscii(): string', upperAscii);
  register('list<string>.ourJoin(): string', join);
  register('list<string>.ourJoin(string): string', join);
  register('string.format(list): string', formatText);
  register('string(google.protobuf.Timestamp): string', showTime);
  register('string(google.protobuf.Duration): string', (duration: Duration) => duration.toString());
  environment.registerType('StringsNamespace', StringsNamespace);
  environment.registerConstant('strings', 'StringsNamespace', new StringsNamespace());
  register('StringsNamespace.quote(string): string', quote);
}
