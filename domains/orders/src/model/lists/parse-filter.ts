import type { OrdersError } from '../../errors.ts';
import { type FilterExpression, type FilterOperator, filterOperators } from './filter-expression.ts';
import { columnNames, findColumn, type ListColumns } from './list-column.ts';
import { type FilterToken, filterError, scanToken } from './scan-filter.ts';

/** Comparisons in one filter. */
export const maxComparisons = 100;
const maxNesting = 50;

/** Words of other filter languages that clients use, and what they stand for. */
const wordOperators: Readonly<Record<string, FilterOperator>> = {
  eq: '==',
  ne: '!=',
  lt: '<',
  le: '<=',
  gt: '>',
  ge: '>=',
  like: '~=',
};

/**
 * Parses a `filter`. `&&` binds more tightly than `||`.
 *
 *     expr  := and { '||' and }        and  := unary { '&&' unary }
 *     unary := '!' unary | '(' expr ')' | column op value
 *     op    := == = != < <= > >= ~= !~=           (or the words eq ne lt le gt ge like)
 *     value := '…' | "…" | a word
 *
 * `and`, `or` and `not` stand for `&&`, `||` and `!`. Returns undefined for an empty filter. Throws nothing but
 * `invalid-filter`.
 */
export function parseFilter(text: string, columns: ListColumns<never>): FilterExpression | undefined {
  if (text.trim() === '') return undefined;
  return new FilterParser(text, columns).parse();
}

class FilterParser {
  readonly #text: string;
  readonly #columns: ListColumns<never>;
  #at = 0;
  #comparisons = 0;

  constructor(text: string, columns: ListColumns<never>) {
    this.#text = text;
    this.#columns = columns;
  }

  parse(): FilterExpression {
    const expression = this.#parseJoined('or', 0);
    const rest = this.#peek();
    if (rest.type !== 'end') throw this.#unexpected(rest);
    return expression;
  }

  /** Terms joined by `||`, each of which is terms joined by `&&`. */
  #parseJoined(type: 'or' | 'and', nesting: number): FilterExpression {
    const parseTerm = () => (type === 'or' ? this.#parseJoined('and', nesting) : this.#parseUnary(nesting));
    const first = parseTerm();
    const terms = [first];
    while (this.#takes(type === 'or' ? '||' : '&&', type)) terms.push(parseTerm());
    return terms.length === 1 ? first : { type, terms };
  }

  #parseUnary(nesting: number): FilterExpression {
    const start = this.#peek();
    if (nesting >= maxNesting) throw filterError(this.#text, start.start, 'it is nested too deeply');
    if (this.#takes('!', 'not')) return { type: 'not', term: this.#parseUnary(nesting + 1) };
    if (!this.#takes('(')) return this.#parseComparison();
    const expression = this.#parseJoined('or', nesting + 1);
    if (!this.#takes(')')) throw this.#unexpected(this.#peek());
    return expression;
  }

  #parseComparison(): FilterExpression {
    if (++this.#comparisons > maxComparisons)
      throw filterError(this.#text, this.#at, `it has more than ${maxComparisons} comparisons`);
    const column = this.#parseColumn();
    const operator = this.#parseOperator();
    const value = this.#peek();
    if (value.type !== 'word' && value.type !== 'quoted') throw this.#unexpected(value);
    this.#at = value.end;
    return { type: 'compare', column, operator, value: value.text };
  }

  #parseColumn(): string {
    const token = this.#peek();
    if (token.type !== 'word') throw this.#unexpected(token);
    if (findColumn(this.#columns, token.text) === undefined)
      throw filterError(
        this.#text,
        token.start,
        `there is no column '${token.text}'; there are ${columnNames(this.#columns)}`,
      );
    this.#at = token.end;
    return token.text;
  }

  #parseOperator(): FilterOperator {
    const token = this.#peek();
    const text = token.text === '=' ? '==' : token.text;
    const operator =
      token.type === 'word'
        ? wordOperators[token.text.toLowerCase()]
        : filterOperators.find(candidate => token.type === 'symbol' && candidate === text);
    if (operator === undefined) throw this.#unexpected(token);
    this.#at = token.end;
    return operator;
  }

  /** Takes a symbol, or the word that stands for it, if it comes next. */
  #takes(symbol: string, word?: string): boolean {
    const token = this.#peek();
    const isNext =
      (token.type === 'symbol' && token.text === symbol) ||
      (token.type === 'word' && token.text.toLowerCase() === word);
    if (isNext) this.#at = token.end;
    return isNext;
  }

  #peek(): FilterToken {
    return scanToken(this.#text, this.#at);
  }

  #unexpected({ type, text, start }: FilterToken): OrdersError {
    return filterError(this.#text, start, type === 'end' ? 'it ends unexpectedly' : `unexpected '${text}'`);
  }
}
