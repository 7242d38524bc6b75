import { type FleetError, fleetError } from '../../errors.ts';

/** A token of a search, and where the next one begins. */
export interface SearchToken {
  readonly type: 'word' | 'quoted' | 'symbol' | 'end';
  /** Of a quoted text: without quotes and escapes. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Ends an unquoted word. In a list of values a comma does too. */
const wordEnd = /[\s()=<>]/;
const listWordEnd = /[\s()=<>,]/;
const symbols = ['<>', '<', '>', '=', '(', ')'];

/** Reads the token at or after `from`. Throws error 23 for a quoted text without an end. */
export function scanToken(text: string, from: number, isInList: boolean): SearchToken {
  let start = from;
  while (start < text.length && isSpace(text.charAt(start))) start++;
  if (start === text.length) return { type: 'end', text: '', start, end: start };
  if (text.charAt(start) === "'") return scanQuoted(text, start);
  const symbol = symbols.find(candidate => text.startsWith(candidate, start));
  if (symbol !== undefined) return { type: 'symbol', text: symbol, start, end: start + symbol.length };
  if (isInList && text.charAt(start) === ',') return { type: 'symbol', text: ',', start, end: start + 1 };
  return scanWord(text, start, isInList ? listWordEnd : wordEnd);
}

function scanWord(text: string, start: number, ending: RegExp): SearchToken {
  let end = start + 1;
  while (end < text.length && !ending.test(text.charAt(end))) end++;
  return { type: 'word', text: text.slice(start, end), start, end };
}

/** `\'` stands for a quote and `\\` for a backslash; a backslash before anything else stands for itself. */
function scanQuoted(text: string, start: number): SearchToken {
  let value = '';
  let at = start + 1;
  for (;;) {
    const stop = nextSpecial(text, at);
    if (stop === undefined) throw searchError(text, text.length, 'unexpected end of the search in a quoted value');
    value += text.slice(at, stop);
    if (text.charAt(stop) === "'") return { type: 'quoted', text: value, start, end: stop + 1 };
    const next = text.charAt(stop + 1);
    const isEscape = next === "'" || next === '\\';
    value += isEscape ? next : '\\';
    at = stop + (isEscape ? 2 : 1);
  }
}

function nextSpecial(text: string, from: number): number | undefined {
  for (let at = from; at < text.length; at++) if (text.charAt(at) === "'" || text.charAt(at) === '\\') return at;
  return undefined;
}

const isSpace = (character: string): boolean => /\s/.test(character);

/** Returns error 23. Its position counts characters from 1. */
export function searchError(text: string, at: number, problem: string): FleetError {
  const position = Array.from(text.slice(0, at)).length + 1;
  return fleetError(23, `Failed to parse search query: [${position}] error parsing the filter: ${problem}`);
}
