import { fail } from '../values/failure.ts';
import type { Script, Selector } from './selector.ts';

const maxNesting = 50;

/** Reads a path such as `$.a['b'][0:2][?(@.x > 1)]`. Throws a Failure. */
export function parsePath(path: string): readonly Selector[] {
  const parser = new PathParser(path);
  if (!path.startsWith('$') && !path.startsWith('@')) parser.unexpected(0);
  parser.skip(path.slice(0, 1));
  const selectors = parser.readSelectors();
  if (!parser.isAtEnd) parser.unexpected();
  return selectors;
}

const binaryOperators: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['==', '!=', '<=', '>=', '=~', '<', '>', 'in'],
  ['+', '-'],
  ['*', '/', '%'],
];

class PathParser {
  readonly #text: string;
  #at = 0;
  #nesting = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  unexpected(at = this.#at): never {
    return fail(`unexpected token '${this.#text[at] ?? ''}' at index ${at}`);
  }

  skip(word: string): boolean {
    const isNext = this.#text.startsWith(word, this.#at);
    if (isNext) this.#at += word.length;
    return isNext;
  }

  readSelectors(): Selector[] {
    const selectors: Selector[] = [];
    for (;;) {
      if (this.skip('..')) {
        selectors.push({ type: 'recursive' });
        if (this.#text[this.#at] !== '[') selectors.push(this.#readName());
      } else if (this.#text[this.#at] === '.' && this.#text[this.#at + 1] !== '[') {
        this.#at++;
        selectors.push(this.#readName());
      } else if (this.skip('[') || this.skip('.[')) selectors.push(this.#readSubscript());
      else return selectors;
    }
  }

  #readName(): Selector {
    if (this.skip('*')) return { type: 'wildcard' };
    // Within a filter a name ends where an operator starts.
    const key = this.#match(this.#nesting > 0 ? /[^.[\]()\s=!<>&|+*/%,~-]+/y : /[^.[]+/y)?.trim();
    if (key === undefined || key === '') return fail('invalid token. token string is empty');
    return key === 'length' ? { type: 'length' } : { type: 'key', key };
  }

  #readSubscript(): Selector {
    this.#skipSpace();
    if (this.skip('*')) return this.#close({ type: 'wildcard' });
    if (this.skip('?')) return this.#close({ type: 'filter', script: this.#readGroup() });
    const first = this.#readMember();
    if (this.#text[this.#at] === ':') return this.#close({ type: 'range', bounds: this.#readBounds(first) });
    if (this.#text[this.#at] === ',') return this.#close({ type: 'union', members: this.#readUnion(first) });
    if (typeof first === 'string') return this.#close({ type: 'key', key: first });
    if (typeof first === 'number') return this.#close({ type: 'index', index: first });
    return first === undefined ? this.unexpected() : this.#close({ type: 'script', script: first });
  }

  #close(selector: Selector): Selector {
    this.#skipSpace();
    return this.skip(']') ? selector : this.unexpected();
  }

  #readMember(): string | number | Script | undefined {
    this.#skipSpace();
    const quoted = this.#readQuoted();
    const number = quoted === undefined ? this.#match(/-?\d+/y) : undefined;
    const script =
      quoted === undefined && number === undefined && this.#text[this.#at] === '(' ? this.#readGroup() : undefined;
    this.#skipSpace();
    return quoted ?? (number === undefined ? script : Number(number));
  }

  #readBounds(first: string | number | Script | undefined): (number | Script | undefined)[] {
    const bounds = [first];
    while (this.skip(':')) bounds.push(this.#readMember());
    return bounds.map(bound => (typeof bound === 'string' ? this.unexpected() : bound));
  }

  #readUnion(first: string | number | Script | undefined): (string | number | Script)[] {
    const members = [first];
    while (this.skip(',')) members.push(this.#readMember());
    return members.map(member => member ?? this.unexpected());
  }

  #readQuoted(): string | undefined {
    const text = this.#match(/'(?:[^'\\]|\\[^])*'|"(?:[^"\\]|\\[^])*"/y);
    return text?.slice(1, -1).replaceAll(/\\(['"\\])/g, '$1');
  }

  /** `(…)`. */
  #readGroup(): Script {
    if (++this.#nesting > maxNesting) fail('path is nested too deeply');
    if (!this.skip('(')) this.unexpected();
    const script = this.#readBinary(0);
    this.#skipSpace();
    if (!this.skip(')')) this.unexpected();
    this.#nesting--;
    return script;
  }

  #readBinary(level: number): Script {
    const operators = binaryOperators[level];
    if (operators === undefined) return this.#readOperand();
    let left = this.#readBinary(level + 1);
    for (;;) {
      this.#skipSpace();
      const operator = operators.find(candidate => this.skip(candidate));
      if (operator === undefined) return left;
      left = { type: 'binary', operator, left, right: this.#readBinary(level + 1) };
    }
  }

  #readOperand(): Script {
    this.#skipSpace();
    if (this.#text[this.#at] === '(') return this.#readGroup();
    if (this.skip('!')) return this.#nested(() => ({ type: 'not', operand: this.#readOperand() }));
    if (this.skip('[')) return this.#nested(() => this.#readList());
    if (this.skip('@')) return { type: 'path', isRoot: false, selectors: this.#inside() };
    if (this.skip('$')) return { type: 'path', isRoot: true, selectors: this.#inside() };
    return { type: 'literal', value: this.#readLiteral() };
  }

  #nested(read: () => Script): Script {
    if (++this.#nesting > maxNesting) fail('path is nested too deeply');
    const script = read();
    this.#nesting--;
    return script;
  }

  #inside(): readonly Selector[] {
    this.#nesting++;
    const selectors = this.readSelectors();
    this.#nesting--;
    return selectors;
  }

  #readList(): Script {
    const items: Script[] = [];
    while (!this.skip(']')) {
      if (items.length > 0 && !this.skip(',')) this.unexpected();
      items.push(this.#readBinary(2));
      this.#skipSpace();
    }
    return { type: 'list', items };
  }

  #readLiteral(): null | boolean | string | number {
    const quoted = this.#readQuoted();
    if (quoted !== undefined) return quoted;
    const word = this.#match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|nil/y);
    if (word === undefined) return this.#match(/[^\s()&|=!<>,\]]+/y) ?? this.unexpected();
    return word === 'nil' ? null : (JSON.parse(word) as null | boolean | number);
  }

  #skipSpace(): void {
    this.#match(/\s+/y);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const text = pattern.exec(this.#text)?.[0];
    this.#at += text?.length ?? 0;
    return text;
  }
}
