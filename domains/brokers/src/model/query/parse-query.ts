import { isTime } from '@chandlery/api';
import { smError } from '../../errors.ts';
import {
  type Criterion,
  keywords,
  listOperators,
  plainKey,
  type Query,
  type QueryOperator,
  type QueryValue,
  singleOperators,
} from './query.ts';

/**
 * Parses a field or label query. Any label key can be asked for when it stands in single quotes.
 * Throws `BadRequest` with the position at which the text cannot be understood.
 */
export function parseQuery(text: string): Query {
  const scanner = new Scanner(text);
  const criteria = [parseCriterion(scanner)];
  while (!scanner.isAtEnd) {
    scanner.expect(' and ');
    criteria.push(parseCriterion(scanner));
  }
  return criteria;
}

function parseCriterion(scanner: Scanner): Criterion {
  const key = parseKey(scanner);
  scanner.expect(' ');
  const operator = parseOperator(scanner);
  scanner.expect(' ');
  const isList = (listOperators as readonly string[]).includes(operator);
  return { key, operator, values: isList ? parseList(scanner) : [parseValue(scanner)] };
}

function parseKey(scanner: Scanner): string {
  if (scanner.next === "'") return parseQuoted(scanner);
  const key = scanner.take(plainKey);
  if (key === undefined) throw scanner.failure('a key is expected');
  if (keywords.has(key)) throw scanner.failure(`"${key}" has a meaning of its own: put the key in single quotes`);
  return key;
}

function parseOperator(scanner: Scanner): QueryOperator {
  const word = scanner.take(/[a-z]+/y) ?? '';
  const known: readonly string[] = [...singleOperators, ...listOperators];
  if (!known.includes(word)) throw scanner.failure(`an operator is expected (${known.join(', ')})`);
  return word as QueryOperator;
}

function parseList(scanner: Scanner): QueryValue[] {
  scanner.expect('(');
  if (scanner.skip(')')) return [{ type: 'string', text: '' }];
  const values = [parseValue(scanner)];
  while (!scanner.skip(')')) {
    scanner.expect(',');
    scanner.skip(' ');
    values.push(parseValue(scanner));
  }
  return values;
}

function parseValue(scanner: Scanner): QueryValue {
  if (scanner.next === "'") return { type: 'string', text: parseQuoted(scanner) };
  const word = scanner.take(/[^\s,()']+/y) ?? '';
  if (word === 'true' || word === 'false') return { type: 'boolean', text: word };
  if (/^[+-]?\d+(\.\d+)?$/.test(word)) return { type: 'number', text: word };
  if (isTime(word)) return { type: 'date', text: word };
  throw scanner.failure("a value is expected: 'text', a number, true, false or a time as 2024-01-31T00:00:00Z");
}

/** Text in single quotes: a quote inside is written twice, a backslash makes the next character plain. */
function parseQuoted(scanner: Scanner): string {
  scanner.expect("'");
  let text = '';
  for (;;) {
    const plain = scanner.take(/[^'\\\n]+/y);
    if (plain !== undefined) text += plain;
    else if (scanner.skip("''")) text += "'";
    else if (scanner.skip("'")) return text;
    else if (scanner.skip('\\')) text += scanner.take(/[^\n]/uy) ?? '';
    else throw scanner.failure('a closing quote is expected, on the same line');
  }
}

/** Reads a text from left to right. */
class Scanner {
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#position === this.#text.length;
  }

  get next(): string | undefined {
    return this.#text[this.#position];
  }

  /** What the sticky pattern matches here, if it does. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#position;
    const found = pattern.exec(this.#text)?.[0];
    this.#position += found?.length ?? 0;
    return found;
  }

  skip(expected: string): boolean {
    const isHere = this.#text.startsWith(expected, this.#position);
    if (isHere) this.#position += expected.length;
    return isHere;
  }

  expect(expected: string): void {
    if (!this.skip(expected)) throw this.failure(`${JSON.stringify(expected)} is expected`);
  }

  failure(why: string): Error {
    const at = this.isAtEnd ? 'at the end' : `at position ${this.#position}`;
    return smError('BadRequest', `cannot understand the query ${at}: ${why}`);
  }
}
