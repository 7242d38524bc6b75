import { badRequest } from './api-errors.ts';
import type { ChandleryError } from './errors.ts';
import { int64Of } from './json/big-integers.ts';

/** One step of a compiled path: from a value to those it leads to. */
export type Segment =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'slice'; readonly start?: number; readonly end?: number; readonly step: number }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'descendants' }
  | { readonly kind: 'union'; readonly members: readonly Segment[] }
  | {
      readonly kind: 'filter';
      readonly left: Operand;
      readonly operator: FilterOperator | undefined;
      readonly right?: Operand;
    };

export type FilterOperator = '==' | '!=' | '<' | '>' | '<=' | '>=';

/** A side of a filter: a literal, or a path from the current element. */
export type Operand =
  | { readonly literal: string | number | bigint | boolean | null }
  | { readonly path: readonly Segment[]; readonly fromRoot: boolean };

const maxTextLength = 1024;
const filterOperators = ['==', '!=', '<=', '>=', '<', '>'] as const;

/** Parses a path as kubectl writes it, without the braces around it. Throws `BadRequest`. */
export function parseJsonPath(text: string): Segment[] {
  const cursor = new Cursor(text);
  if (text.length > maxTextLength) throw cursor.error(`longer than ${maxTextLength} characters`);
  if (cursor.skip('$')) {
    if (cursor.isAtEnd()) return [];
  } else if (cursor.peek() !== '.' && cursor.peek() !== '[') throw cursor.error("must start with '.'");
  const segments = parseSegments(cursor);
  if (!cursor.isAtEnd()) throw cursor.error(`unexpected '${cursor.peek()}' at position ${cursor.position}`);
  return segments;
}

class Cursor {
  position = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    return this.position >= this.#text.length;
  }

  peek(): string {
    return this.#text[this.position] ?? '';
  }

  skip(expected: string): boolean {
    if (!this.#text.startsWith(expected, this.position)) return false;
    this.position += expected.length;
    return true;
  }

  skipSpaces(): void {
    while (this.peek() === ' ' || this.peek() === '\t') this.position++;
  }

  /** What the sticky pattern matches here, or undefined. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.#text)?.[0];
    this.position += found?.length ?? 0;
    return found;
  }

  expect(expected: string): void {
    if (!this.skip(expected)) throw this.error(`expected '${expected}' at position ${this.position}`);
  }

  error(why: string): ChandleryError {
    return badRequest(`invalid JSONPath ${JSON.stringify(this.#text.slice(0, maxTextLength))}: ${why}`);
  }
}

function parseSegments(cursor: Cursor): Segment[] {
  const segments: Segment[] = [];
  for (;;) {
    if (cursor.peek() === '[') segments.push(parseBrackets(cursor));
    else if (cursor.skip('..')) segments.push({ kind: 'descendants' }, ...parseAfterDots(cursor));
    else if (cursor.skip('.')) segments.push(...parseAfterDot(cursor, segments.length === 0));
    else return segments;
  }
}

/** A single dot at the start is the whole value; `.[0]` is the same as `[0]`. */
function parseAfterDot(cursor: Cursor, isFirst: boolean): Segment[] {
  if (cursor.peek() === '[' || (isFirst && cursor.isAtEnd())) return [];
  return [parseName(cursor)];
}

const parseAfterDots = (cursor: Cursor): Segment[] => (cursor.peek() === '[' ? [] : [parseName(cursor)]);

function parseName(cursor: Cursor): Segment {
  if (cursor.skip('*')) return { kind: 'wildcard' };
  const name = cursor.match(/(?:\\.|[^\\.[\](){}'",\s=!<>*$@?])+/y);
  if (name === undefined) throw cursor.error(`expected a name at position ${cursor.position}`);
  return { kind: 'field', name: name.replace(/\\(.)/g, '$1') };
}

function parseBrackets(cursor: Cursor): Segment {
  cursor.expect('[');
  cursor.skipSpaces();
  const segment = cursor.skip('?(') ? parseFilter(cursor) : parseUnion(cursor);
  cursor.skipSpaces();
  cursor.expect(']');
  return segment;
}

function parseUnion(cursor: Cursor): Segment {
  const members: Segment[] = [];
  do {
    cursor.skipSpaces();
    members.push(parseMember(cursor));
    cursor.skipSpaces();
  } while (cursor.skip(','));
  const [only] = members;
  return only !== undefined && members.length === 1 ? only : { kind: 'union', members };
}

function parseMember(cursor: Cursor): Segment {
  if (cursor.skip('*')) return { kind: 'wildcard' };
  const quoted = parseQuoted(cursor);
  if (quoted !== undefined) return { kind: 'field', name: quoted };
  const start = parseInteger(cursor);
  if (cursor.peek() === ':') return parseSlice(cursor, start);
  return start === undefined ? parseName(cursor) : { kind: 'index', index: start };
}

function parseSlice(cursor: Cursor, start: number | undefined): Segment {
  cursor.expect(':');
  const end = parseInteger(cursor);
  const step = cursor.skip(':') ? (parseInteger(cursor) ?? 1) : 1;
  if (step <= 0) throw cursor.error('the step of a slice must be positive');
  return {
    kind: 'slice',
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
    step,
  };
}

function parseInteger(cursor: Cursor): number | undefined {
  const digits = cursor.match(/-?\d{1,9}(?![\w-])/y);
  return digits === undefined ? undefined : Number(digits);
}

function parseQuoted(cursor: Cursor): string | undefined {
  const quote = cursor.peek();
  if (quote !== "'" && quote !== '"') return undefined;
  const quoted = cursor.match(quote === "'" ? /'(?:\\.|[^'\\])*'/y : /"(?:\\.|[^"\\])*"/y);
  if (quoted === undefined) throw cursor.error(`unterminated quote at position ${cursor.position}`);
  return quoted.slice(1, -1).replace(/\\(.)/g, '$1');
}

function parseFilter(cursor: Cursor): Segment {
  const left = parseOperand(cursor);
  const operator = filterOperators.find(candidate => cursor.skip(candidate));
  const right = operator === undefined ? undefined : parseOperand(cursor);
  cursor.expect(')');
  return { kind: 'filter', left, operator, ...(right === undefined ? {} : { right }) };
}

function parseOperand(cursor: Cursor): Operand {
  cursor.skipSpaces();
  const operand = parsePathOperand(cursor) ?? parseLiteral(cursor);
  cursor.skipSpaces();
  return operand;
}

function parsePathOperand(cursor: Cursor): Operand | undefined {
  const fromRoot = cursor.skip('$');
  if (!fromRoot && !cursor.skip('@')) return undefined;
  return { path: parseSegments(cursor), fromRoot };
}

const words: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

function parseLiteral(cursor: Cursor): Operand {
  const quoted = parseQuoted(cursor);
  if (quoted !== undefined) return { literal: quoted };
  const text = cursor.match(/[-+\w.]+/y);
  const word = words.get(text ?? '');
  if (word !== undefined) return { literal: word };
  const number = Number(text ?? 'none');
  if (Number.isNaN(number)) throw cursor.error(`expected a value at position ${cursor.position}`);
  const isWide = Number.isInteger(number) && !Number.isSafeInteger(number) && /^-?\d+$/.test(text ?? '');
  return { literal: isWide ? (int64Of(BigInt(text ?? 0)) ?? number) : number };
}
