import { tokenize } from './lexer.ts';
import { syntaxError } from './syntax-error.ts';
import { type Token, type TokenKind, tokenText } from './token.ts';

const maxNesting = 250;

/** Goes over the tokens of an expression. */
export class TokenReader {
  readonly #source: string;
  readonly #tokens: readonly Token[];
  readonly #end: Token;
  #next = 0;
  #nesting = 0;

  constructor(source: string) {
    this.#source = source;
    this.#tokens = tokenize(source);
    this.#end = this.#tokens.at(-1) ?? { kind: 'EOF', value: '', position: 0 };
  }

  /** The next token, not yet taken. */
  get current(): Token {
    return this.#tokens[this.#next] ?? this.#end;
  }

  /** The token behind the next one. */
  get following(): Token {
    return this.#tokens[this.#next + 1] ?? this.#end;
  }

  is(kind: TokenKind, value?: string): boolean {
    const { current } = this;
    return current.kind === kind && (value === undefined || current.value === value);
  }

  take(): Token {
    const { current } = this;
    if (current.kind === 'EOF') throw this.error('unexpected end of expression');
    this.#next++;
    return current;
  }

  /** Takes the token if it is the given one. */
  skip(kind: TokenKind, value: string): boolean {
    if (!this.is(kind, value)) return false;
    this.#next++;
    return true;
  }

  expect(kind: TokenKind, value?: string): Token {
    if (!this.is(kind, value)) throw this.unexpected();
    return this.take();
  }

  unexpected(): Error {
    return this.error(`unexpected token ${tokenText(this.current)}`);
  }

  error(message: string, token: Token = this.current): Error {
    return syntaxError(this.#source, token.position, message);
  }

  /** Runs a part of the parser that may contain itself. */
  nest<T>(parse: () => T): T {
    if (++this.#nesting > maxNesting) throw this.error('expression is nested too deeply');
    const result = parse();
    this.#nesting--;
    return result;
  }
}
