import { anyOf, charRange, ignoringCase, not, perlClasses, posixClasses, unicodeClass } from './character-classes.ts';
import { PatternProblem, type PatternReader } from './pattern-reader.ts';
import type { CharacterTest } from './regex-node.ts';

const controls: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };

/** One character, or the characters of a class. */
export type Escaped = { readonly codePoint: number } | { readonly test: CharacterTest };

/** What follows a backslash that was taken. Throws for what is not the same everywhere. */
export function readEscape(reader: PatternReader): Escaped {
  const hex = reader.takeMatch('x', /^x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,6})\})/);
  if (hex !== undefined) return { codePoint: codePointOf(Number.parseInt(hex[1] ?? hex[2] ?? '', 16)) };
  const property = reader.takeMatch('pP', /^([pP])(?:([A-Z])|\{(\^?)([A-Za-z_]+)\})/);
  if (property !== undefined) return { test: propertyOf(property) };
  const character = reader.take();
  const test = perlClasses[character];
  if (test !== undefined) return { test };
  const control = controls[character];
  if (control !== undefined) return { codePoint: control };
  if (/^[!-/:-@[-`{-~]$/.test(character)) return { codePoint: character.charCodeAt(0) };
  throw new PatternProblem(`\\${character} has no meaning in RE2`);
}

function codePointOf(value: number): number {
  const isSurrogate = value >= 0xd800 && value <= 0xdfff;
  if (value > 0x10ffff || isSurrogate) throw new PatternProblem(`\\x{${value.toString(16)}} is no character`);
  return value;
}

function propertyOf([text, letter = '', single, caret, name]: RegExpExecArray): CharacterTest {
  const test = unicodeClass(single ?? name ?? '');
  if (test === undefined) throw new PatternProblem(`\\${text} is no Unicode class that is known here`);
  return (letter === 'P') === (caret === '^') ? test : not(test);
}

/** What follows a `[` that was taken, up to its `]`. */
export function readClass(reader: PatternReader, ignoresCase: boolean): CharacterTest {
  const isNegated = reader.skip('^');
  const tests: CharacterTest[] = [];
  do tests.push(readMember(reader));
  while (!reader.isAtEnd && reader.next !== ']');
  if (!reader.skip(']')) throw new PatternProblem('a [ has no ]');
  const test = ignoresCase ? ignoringCase(anyOf(tests)) : anyOf(tests);
  return isNegated ? not(test) : test;
}

function readMember(reader: PatternReader): CharacterTest {
  if (reader.skip('[:')) return posixClass(reader.takeUntil(':]', 'a [: has no :]'));
  const first = readBound(reader);
  if ('test' in first) return first.test;
  if (!reader.startsWith('-') || reader.startsWith('-]')) return charRange(first.codePoint, first.codePoint);
  reader.take();
  const last = readBound(reader);
  if ('test' in last || last.codePoint < first.codePoint)
    throw new PatternProblem('a range in [] is the wrong way round');
  return charRange(first.codePoint, last.codePoint);
}

function readBound(reader: PatternReader): Escaped {
  if (reader.isAtEnd) throw new PatternProblem('a [ has no ]');
  const character = reader.take();
  return character === '\\' ? readEscape(reader) : { codePoint: character.codePointAt(0) ?? 0 };
}

function posixClass(text: string): CharacterTest {
  const isNegated = text.startsWith('^');
  const test = posixClasses[isNegated ? text.slice(1) : text];
  if (test === undefined) throw new PatternProblem(`[:${text}:] is no class of characters`);
  return isNegated ? not(test) : test;
}
