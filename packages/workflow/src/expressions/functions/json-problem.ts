const literals = ['true', 'false', 'null'];

/** Go's message for a text that is not JSON. */
export function jsonProblem(text: string): string {
  const scanner = new JsonScanner(text);
  const at = scanner.scan();
  if (at >= text.length) return 'unexpected end of JSON input';
  return `invalid character ${quoteCharacter(text, at)} ${scanner.problem}`;
}

function quoteCharacter(text: string, at: number): string {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (character === "'") return String.raw`'\''`;
  if (character === '"') return `'"'`;
  return `'${JSON.stringify(character).slice(1, -1)}'`;
}

type State = 'value' | 'first-item' | 'first-key' | 'key' | 'colon' | 'after';

/** Walks over a text until it is no longer the beginning of JSON. */
class JsonScanner {
  readonly #text: string;
  readonly #open: string[] = [];
  #state: State = 'value';
  #at = 0;
  #problem = 'looking for beginning of value';

  constructor(text: string) {
    this.#text = text;
  }

  /** The position of the first character that does not fit; the length when only more is missing. */
  scan(): number {
    while (this.#at < this.#text.length) {
      if (/[ \t\r\n]/.test(this.#text[this.#at] ?? '')) this.#at++;
      else if (!this.#step()) return this.#at;
    }
    return this.#at;
  }

  /** Where the character that does not fit stands. */
  get problem(): string {
    return this.#problem;
  }

  #step(): boolean {
    const character = this.#text[this.#at] ?? '';
    if (this.#state === 'after') return this.#readAfter(character);
    if (this.#state === 'colon') return this.#accept(character === ':', 'after object key', 'value');
    if (this.#state === 'first-key' && character === '}') return this.#close();
    if (this.#state === 'first-key' || this.#state === 'key') {
      this.#problem = 'looking for beginning of object key string';
      return character === '"' && this.#readString() && this.#become('colon');
    }
    if (this.#state === 'first-item' && character === ']') return this.#close();
    return this.#readValue(character);
  }

  #readValue(character: string): boolean {
    this.#problem = 'looking for beginning of value';
    if (character === '{') return this.#openContainer('}', 'first-key');
    if (character === '[') return this.#openContainer(']', 'first-item');
    if (character === '"') return this.#readString() && this.#become('after');
    if (character === '-' || /\d/.test(character)) return this.#readNumber() && this.#become('after');
    const literal = literals.find(word => word.startsWith(character));
    return literal !== undefined && this.#readLiteral(literal) && this.#become('after');
  }

  #readAfter(character: string): boolean {
    const closing = this.#open.at(-1);
    if (closing === undefined) return this.#accept(false, 'after top-level value', 'after');
    if (character === closing) return this.#close();
    const problem = closing === '}' ? 'after object key:value pair' : 'after array element';
    return this.#accept(character === ',', problem, closing === '}' ? 'key' : 'value');
  }

  #accept(fits: boolean, problem: string, next: State): boolean {
    this.#problem = problem;
    if (fits) this.#at++;
    return fits && this.#become(next);
  }

  #openContainer(closing: string, next: State): boolean {
    this.#open.push(closing);
    this.#at++;
    return this.#become(next);
  }

  #close(): boolean {
    this.#open.pop();
    this.#at++;
    return this.#become('after');
  }

  #become(state: State): boolean {
    this.#state = state;
    return true;
  }

  #readLiteral(word: string): boolean {
    for (const [index, letter] of Array.from(word).entries()) {
      const next = this.#text[this.#at];
      if (next === undefined) return true;
      this.#problem = `in literal ${word} (expecting ${quoteCharacter(word, index)})`;
      if (next !== letter) return false;
      this.#at++;
    }
    return true;
  }

  #readNumber(): boolean {
    const number = /-?(?:0|[1-9]\d*)?(?:\.\d*)?(?:[eE][+-]?\d*)?/y;
    number.lastIndex = this.#at;
    const text = number.exec(this.#text)?.[0] ?? '';
    this.#at += text.length;
    this.#problem = 'in numeric literal';
    return /\d$/.test(text) || this.#at >= this.#text.length;
  }

  #readString(): boolean {
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at] ?? '';
      if (character === '"') {
        this.#at++;
        return true;
      }
      this.#problem = 'in string literal';
      if (character < ' ') return false;
      if (character === '\\' && !this.#readEscape()) return false;
    }
    return true;
  }

  #readEscape(): boolean {
    this.#problem = 'in string escape code';
    const character = this.#text[++this.#at];
    if (character === undefined) return true;
    if (character !== 'u') return '"\\/bfnrt'.includes(character);
    this.#problem = String.raw`in \u hexadecimal character escape`;
    for (let digit = 0; digit < 4; digit++) {
      const next = this.#text[++this.#at];
      if (next === undefined) return true;
      if (!/[0-9a-fA-F]/.test(next)) return false;
    }
    return true;
  }
}
