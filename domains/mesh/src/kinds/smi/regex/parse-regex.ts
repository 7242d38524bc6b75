import { charRange, ignoringCase, not } from './character-classes.ts';
import { PatternProblem, PatternReader } from './pattern-reader.ts';
import { readClass, readEscape } from './read-character.ts';
import { type Place, type RegexNode, sizeOf } from './regex-node.ts';

/** A pattern that was read, or why it cannot be. */
export type ParsedRegex = { readonly node: RegexNode } | { readonly problem: string };

const maxPatternLength = 1024;
const maxDepth = 100;
const maxRepetitions = 1000;
/** Proxies match each request against it. */
const maxSize = 2000;

/**
 * Reads a pattern in the syntax of RE2, as proxies do, without their engine: what is accepted here is accepted there.
 * Refused are look-around and back references (as by RE2), names of groups other than `(?P<name>…)`, and patterns
 * that would become large. The time it takes does not depend on what the pattern means.
 */
export function parseRegex(pattern: string): ParsedRegex {
  if (pattern.length > maxPatternLength) return { problem: `it is longer than ${maxPatternLength} characters` };
  try {
    const parser = new RegexParser(pattern);
    const node = parser.readAll();
    if (sizeOf(node) > maxSize) return { problem: 'its repetitions make it too large' };
    return { node };
  } catch (error) {
    if (error instanceof PatternProblem) return { problem: error.message };
    throw error;
  }
}

interface Flags {
  readonly ignoresCase: boolean;
  readonly dotIsAll: boolean;
  readonly isMultiline: boolean;
}

const flagOfLetter: Readonly<Record<string, keyof Flags>> = { i: 'ignoresCase', s: 'dotIsAll', m: 'isMultiline' };
const newline = charRange(10, 10);
const anyCharacter = (): boolean => true;

class RegexParser {
  readonly #reader: PatternReader;
  readonly #names = new Set<string>();
  #flags: Flags = { ignoresCase: false, dotIsAll: false, isMultiline: false };
  #depth = 0;

  constructor(pattern: string) {
    this.#reader = new PatternReader(pattern);
  }

  readAll(): RegexNode {
    const node = this.#readChoice();
    if (!this.#reader.isAtEnd) throw new PatternProblem('a ) has no (');
    return node;
  }

  #readChoice(): RegexNode {
    if (++this.#depth > maxDepth) throw new PatternProblem('groups are nested too deeply');
    const options = [this.#readSequence()];
    while (this.#reader.skip('|')) options.push(this.#readSequence());
    this.#depth--;
    const [only] = options;
    return only !== undefined && options.length === 1 ? only : { type: 'choice', options };
  }

  #readSequence(): RegexNode {
    const parts: RegexNode[] = [];
    while (!this.#reader.isAtEnd && !this.#reader.startsWith('|') && !this.#reader.startsWith(')')) {
      const part = this.#readPart();
      parts.push(part === undefined ? nothing : this.#readRepetition(part));
    }
    return { type: 'sequence', parts };
  }

  /** Undefined for what only changes flags: that cannot be repeated. */
  #readPart(): RegexNode | undefined {
    if (this.#readRange() !== undefined) throw new PatternProblem('there is nothing that *, +, ? or {} could repeat');
    const character = this.#reader.take();
    switch (character) {
      case '(':
        return this.#readGroup();
      case '[':
        return { type: 'character', test: readClass(this.#reader, this.#flags.ignoresCase) };
      case '.':
        return { type: 'character', test: this.#flags.dotIsAll ? anyCharacter : not(newline) };
      case '^':
        return at(this.#flags.isMultiline ? 'line start' : 'text start');
      case '$':
        return at(this.#flags.isMultiline ? 'line end' : 'text end');
      case '\\':
        return this.#readEscaped();
      default:
        return this.#literal(character.codePointAt(0) ?? 0);
    }
  }

  #readGroup(): RegexNode | undefined {
    const before = this.#flags;
    if (this.#reader.skip('?')) {
      const name = this.#reader.takeMatch('P', /^P<(\w+)>/)?.[1];
      if (name !== undefined) this.#addName(name);
      else if (this.#readFlags() === 'to the end') return undefined;
    }
    const node = this.#readChoice();
    if (!this.#reader.skip(')')) throw new PatternProblem('a ( has no )');
    this.#flags = before;
    return node;
  }

  #addName(name: string): void {
    if (this.#names.has(name)) throw new PatternProblem(`two groups are named ${name}`);
    this.#names.add(name);
  }

  /** `(?i)` holds to the end of the group around it, `(?i:…)` inside. */
  #readFlags(): 'to the end' | 'inside' {
    const match = this.#reader.takeMatch('ims-:)', /^([ims]*)(?:-([ims]+))?([:)])/);
    if (match === undefined) throw new PatternProblem('RE2 has no look-around and only the flags i, m and s');
    const [text, on = '', off = '', end] = match;
    if (text === ')') throw new PatternProblem('(?) says nothing');
    for (const [letters, value] of [
      [on, true],
      [off, false],
    ] as const) {
      for (const letter of letters) this.#flags = { ...this.#flags, [flagOfLetter[letter] ?? '']: value };
    }
    return end === ')' ? 'to the end' : 'inside';
  }

  #readEscaped(): RegexNode {
    if (this.#reader.isAtEnd) throw new PatternProblem('it ends with a backslash');
    if (this.#reader.next in placeOfLetter) return at(placeOfLetter[this.#reader.take()] ?? 'text start');
    const escaped = readEscape(this.#reader);
    if ('codePoint' in escaped) return this.#literal(escaped.codePoint);
    return { type: 'character', test: escaped.test };
  }

  #literal(codePoint: number): RegexNode {
    const test = charRange(codePoint, codePoint);
    return { type: 'character', test: this.#flags.ignoresCase ? ignoringCase(test) : test };
  }

  #readRepetition(node: RegexNode): RegexNode {
    const range = this.#readRange();
    if (range === undefined) return node;
    // Whether it takes much or little does not matter to whether it matches.
    this.#reader.skip('?');
    if (this.#readRange() !== undefined) throw new PatternProblem('a repetition is repeated; use a group');
    return { type: 'repeat', node, ...range };
  }

  #readRange(): { readonly min: number; readonly max: number } | undefined {
    if (this.#reader.skip('*')) return { min: 0, max: Infinity };
    if (this.#reader.skip('+')) return { min: 1, max: Infinity };
    if (this.#reader.skip('?')) return { min: 0, max: 1 };
    const match = this.#reader.takeMatch('{', /^\{(\d{1,9})(?:(,)(\d{0,9}))?\}/);
    if (match === undefined) return undefined;
    const [text, from = '', comma, to = ''] = match;
    const min = Number(from);
    const max = comma === undefined ? min : to === '' ? Infinity : Number(to);
    const isTooMany = min > maxRepetitions || (max !== Infinity && max > maxRepetitions);
    if (isTooMany || max < min) throw new PatternProblem(`${text} is no repetition of at most ${maxRepetitions}`);
    return { min, max };
  }
}

const nothing: RegexNode = { type: 'sequence', parts: [] };
const at = (place: Place): RegexNode => ({ type: 'place', place });

const placeOfLetter: Readonly<Record<string, Place>> = {
  A: 'text start',
  z: 'text end',
  b: 'word edge',
  B: 'no word edge',
};
