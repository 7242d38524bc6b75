import { OrdersError } from '../../errors.ts';

/** A token of a filter, and where the next one begins. */
export interface FilterToken {
  readonly type: 'word' | 'quoted' | 'symbol' | 'end';
  /** Of a quoted text: without quotes and escapes. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Longer ones first. */
const symbols = ['!~=', '==', '!=', '<=', '>=', '~=', '&&', '||', '<', '>', '=', '!', '(', ')'];
const wordEnd = /[\s()=<>!~&|'"]/;

/** Reads the token at or after `from`. Throws `invalid-filter` for a quoted text without an end. */
export function scanToken(text: string, from: number): FilterToken {
  let start = from;
  while (start < text.length && /\s/.test(text.charAt(start))) start++;
  if (start === text.length) return { type: 'end', text: '', start, end: start };
  const first = text.charAt(start);
  if (first === "'" || first === '"') return scanQuoted(text, start, first);
  const symbol = symbols.find(candidate => text.startsWith(candidate, start));
  if (symbol !== undefined) return { type: 'symbol', text: symbol, start, end: start + symbol.length };
  let end = start + 1;
  while (end < text.length && !wordEnd.test(text.charAt(end))) end++;
  return { type: 'word', text: text.slice(start, end), start, end };
}

/** A backslash before a quote or a backslash stands for that character; before anything else for itself. */
function scanQuoted(text: string, start: number, quote: string): FilterToken {
  let value = '';
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === quote) return { type: 'quoted', text: value, start, end: at + 1 };
    const next = text.charAt(at + 1);
    const isEscape = character === '\\' && (next === quote || next === '\\');
    value += isEscape ? next : character;
    if (isEscape) at++;
  }
  throw filterError(text, start, 'a quoted value has no end');
}

/** Returns the error of a filter. Its position counts characters from 1. */
export function filterError(text: string, at: number, problem: string): OrdersError {
  const position = Array.from(text.slice(0, at)).length + 1;
  return new OrdersError('invalid-filter', `The filter is not valid at character ${position}: ${problem}`, {
    name: 'filter',
    value: text,
  });
}
