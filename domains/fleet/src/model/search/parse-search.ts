import type { FleetError } from '../../errors.ts';
import { type SearchToken, scanToken, searchError } from './scan-search.ts';
import { type SearchExpression, type ValueOperator, valueOperators } from './search-expression.ts';

/** AND, OR and NOT of one search. */
export const maxJoins = 10;
const maxNesting = 50;

/**
 * Parses a `search`. AND binds more tightly than OR, as in SQL.
 *
 *     expr  := and { OR and }         and := term { AND term }
 *     term  := '(' expr ')' | column op value | column [NOT] IN '(' value { ',' value } ')'
 *     op    := '=' | '<>' | LIKE | ILIKE
 *     value := a word without spaces, parentheses and comparison signs | '…' with \' for a quote
 *
 * Returns undefined for an empty search. Throws nothing but error 23.
 */
export function parseSearch(text: string, columns: ReadonlySet<string>): SearchExpression | undefined {
  const nul = text.indexOf('\0');
  if (nul >= 0) throw searchError(text, nul, 'a NUL character is not allowed');
  if (text.trim() === '') return undefined;
  return new SearchParser(text, columns).parse();
}

class SearchParser {
  readonly #text: string;
  readonly #columns: ReadonlySet<string>;
  #at = 0;
  #joins = 0;

  constructor(text: string, columns: ReadonlySet<string>) {
    this.#text = text;
    this.#columns = columns;
  }

  parse(): SearchExpression {
    const expression = this.#parseJoined('or', 0);
    const rest = this.#peek();
    if (rest.type !== 'end') throw this.#unexpected(rest);
    return expression;
  }

  /** Terms joined by OR, each of which is terms joined by AND. */
  #parseJoined(type: 'or' | 'and', nesting: number): SearchExpression {
    const parseTerm = () => (type === 'or' ? this.#parseJoined('and', nesting) : this.#parseTerm(nesting));
    const first = parseTerm();
    const terms = [first];
    while (this.#takesWord(type)) terms.push(parseTerm());
    return terms.length === 1 ? first : { type, terms };
  }

  #parseTerm(nesting: number): SearchExpression {
    const open = this.#peek();
    if (!isSymbol(open, '(')) return this.#parseComparison();
    if (nesting === maxNesting)
      throw searchError(this.#text, open.start, `more than ${maxNesting} parentheses within each other`);
    this.#take(open);
    const expression = this.#parseJoined('or', nesting + 1);
    this.#expectSymbol(')');
    return expression;
  }

  #parseComparison(): SearchExpression {
    const column = this.#parseColumn();
    if (this.#takesWord('not')) {
      const operator = this.#peek();
      if (!isWord(operator, 'in')) throw this.#unexpected(operator);
      return this.#parseIn(column, true, operator);
    }
    const operator = this.#peek();
    if (isWord(operator, 'in')) return this.#parseIn(column, false, operator);
    return { type: 'compare', column, operator: this.#parseOperator(operator), value: this.#parseValue(false) };
  }

  #parseColumn(): string {
    const token = this.#peek();
    if (token.type !== 'word') throw this.#unexpected(token);
    const column = token.text.toLowerCase();
    if (!this.#columns.has(column))
      throw searchError(
        this.#text,
        token.start,
        `invalid column name: '${token.text}', valid column names are: [${[...this.#columns].join(', ')}]`,
      );
    this.#take(token);
    return column;
  }

  #parseOperator(token: SearchToken): ValueOperator {
    const operator = valueOperators.find(
      candidate => token.type !== 'quoted' && token.text.toLowerCase() === candidate,
    );
    if (operator === undefined) throw this.#unexpected(token);
    this.#take(token);
    return operator;
  }

  #parseIn(column: string, isNegated: boolean, operator: SearchToken): SearchExpression {
    this.#take(operator);
    this.#expectSymbol('(');
    const values = [this.#parseValue(true)];
    for (;;) {
      const token = scanToken(this.#text, this.#at, true);
      this.#take(token);
      if (isSymbol(token, ')')) return { type: 'in', column, isNegated, values };
      if (!isSymbol(token, ',')) throw this.#unexpected(token);
      values.push(this.#parseValue(true));
    }
  }

  #parseValue(isInList: boolean): string {
    const token = scanToken(this.#text, this.#at, isInList);
    if (token.type !== 'word' && token.type !== 'quoted') throw this.#unexpected(token);
    this.#take(token);
    return token.text;
  }

  #expectSymbol(symbol: string): void {
    const token = this.#peek();
    if (!isSymbol(token, symbol)) throw this.#unexpected(token, symbol);
    this.#take(token);
  }

  /** Takes a join if it comes next, and counts it. */
  #takesWord(word: 'and' | 'or' | 'not'): boolean {
    const token = this.#peek();
    if (!isWord(token, word)) return false;
    if (++this.#joins > maxJoins)
      throw searchError(this.#text, token.start, `maximum number of permitted joins (${maxJoins}) exceeded`);
    this.#take(token);
    return true;
  }

  #peek(): SearchToken {
    return scanToken(this.#text, this.#at, false);
  }

  #take({ end }: SearchToken): void {
    this.#at = end;
  }

  #unexpected({ type, text, start }: SearchToken, wanted?: string): FleetError {
    const where = wanted === undefined ? '' : ` while looking for '${wanted}'`;
    const what = type === 'end' ? 'end of the search' : `token '${text}'`;
    return searchError(this.#text, start, `unexpected ${what}${where}`);
  }
}

const isSymbol = ({ type, text }: SearchToken, symbol: string): boolean => type === 'symbol' && text === symbol;

const isWord = ({ type, text }: SearchToken, word: string): boolean => type === 'word' && text.toLowerCase() === word;
