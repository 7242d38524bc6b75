import { readString } from './string-literal.ts';
import { syntaxError } from './syntax-error.ts';
import type { Token, TokenKind } from './token.ts';

const wordOperators = new Set([
  'in',
  'or',
  'and',
  'matches',
  'contains',
  'startsWith',
  'endsWith',
  'let',
  'if',
  'else',
  'not',
]);

const space = /[\p{White_Space}]+|\/\/[^\n]*|\/\*[^]*?\*\//uy;
const identifier = /[\p{L}_$][\p{L}\p{Nd}_$]*/uy;
const number =
  /(?:0[xX][0-9a-fA-F_]*|0[oO][0-7_]*|0[bB][01_]*|[0-9][0-9_]*)(?:\.(?!\.)[0-9_]*)?(?:[eE][+-]?[0-9_]*)?|\.[0-9][0-9_]*(?:[eE][+-]?[0-9_]*)?/y;
const operator = /\|\||\?[.?]|::|[&!=*<>][&=*]?|\.\.|[|?:,;%+\-^/.]/y;
const bracket = /[()[\]{}]/y;
const pointer = /##?/y;

/** Splits an expression into its tokens; the last is EOF. */
export function tokenize(source: string): Token[] {
  return new Lexer(source).readAll();
}

class Lexer {
  readonly #source: string;
  readonly #tokens: Token[] = [];
  #position = 0;

  constructor(source: string) {
    this.#source = source;
  }

  readAll(): Token[] {
    while (this.#skipSpace() < this.#source.length) this.#readToken();
    this.#add('EOF', '', Math.max(0, this.#source.length - 1));
    return this.#tokens;
  }

  #skipSpace(): number {
    while (this.#match(space) !== undefined);
    if (this.#source.startsWith('/*', this.#position)) {
      throw syntaxError(this.#source, this.#source.length, 'unclosed comment');
    }
    return this.#position;
  }

  #readToken(): void {
    const start = this.#position;
    if (this.#readLiteral(start) || this.#readNumber(start) || this.#readWord(start)) return;
    const text = this.#match(pointer) ?? this.#match(operator);
    if (text !== undefined) return this.#add('Operator', text, start);
    const found = this.#match(bracket);
    if (found !== undefined) return this.#add('Bracket', found, start);
    throw this.#unrecognized(start);
  }

  #readLiteral(start: number): boolean {
    const isBytes = /[bB]['"]/y;
    isBytes.lastIndex = start;
    const bytes = isBytes.test(this.#source);
    const quote = this.#source[bytes ? start + 1 : start];
    if (quote !== '"' && quote !== "'" && quote !== '`') return false;
    const literal = readString(this.#source, bytes ? start + 1 : start, bytes);
    this.#position = literal.end;
    this.#add(bytes ? 'Bytes' : 'String', literal.value, start);
    return true;
  }

  #readNumber(start: number): boolean {
    const text = this.#match(number);
    if (text === undefined) return false;
    const rest = this.#match(/[\p{L}\p{Nd}_$]/uy);
    if (rest !== undefined) {
      throw syntaxError(this.#source, this.#position - 1, `bad number syntax: ${JSON.stringify(text + rest)}`);
    }
    this.#add('Number', text, start);
    return true;
  }

  #readWord(start: number): boolean {
    const text = this.#match(identifier);
    if (text === undefined) return false;
    this.#add(wordOperators.has(text) ? 'Operator' : 'Identifier', text, start);
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#position;
    const text = pattern.exec(this.#source)?.[0];
    if (text === undefined || text === '') return undefined;
    this.#position += text.length;
    return text;
  }

  #add(kind: TokenKind, value: string, position: number): void {
    this.#tokens.push({ kind, value, position });
  }

  #unrecognized(start: number): Error {
    const code = this.#source.codePointAt(start) ?? 0;
    const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')} '${String.fromCodePoint(code)}'`;
    return syntaxError(this.#source, start, `unrecognized character: ${name}`);
  }
}
