import { unixSeconds } from '../dates/civil-time.ts';
import { parseTime } from '../dates/parse-time.ts';
import { Failure, fail } from '../values/failure.ts';

export type WhenTokenKind =
  | 'UNKNOWN'
  | 'PREFIX'
  | 'NUMERIC'
  | 'BOOLEAN'
  | 'STRING'
  | 'TIME'
  | 'VARIABLE'
  | 'ACCESSOR'
  | 'SEPARATOR'
  | 'COMPARATOR'
  | 'LOGICALOP'
  | 'MODIFIER'
  | 'CLAUSE'
  | 'CLAUSE_CLOSE'
  | 'TERNARY';

export interface WhenToken {
  readonly kind: WhenTokenKind;
  readonly value: string | number | boolean;
}

const values: readonly WhenTokenKind[] = ['NUMERIC', 'BOOLEAN', 'VARIABLE', 'ACCESSOR', 'STRING', 'TIME', 'CLAUSE'];
const behindValue: readonly WhenTokenKind[] = [
  'MODIFIER',
  'COMPARATOR',
  'LOGICALOP',
  'CLAUSE_CLOSE',
  'TERNARY',
  'SEPARATOR',
];

/** Which kinds may follow a kind. */
export const followers: Readonly<Record<WhenTokenKind, readonly WhenTokenKind[]>> = {
  UNKNOWN: ['PREFIX', ...values],
  CLAUSE: ['PREFIX', ...values, 'CLAUSE_CLOSE'],
  CLAUSE_CLOSE: [...behindValue, 'NUMERIC', 'BOOLEAN', 'VARIABLE', 'STRING', 'TIME', 'CLAUSE'],
  NUMERIC: behindValue,
  BOOLEAN: behindValue,
  STRING: behindValue,
  TIME: behindValue.filter(kind => kind !== 'TERNARY'),
  VARIABLE: behindValue,
  ACCESSOR: ['CLAUSE', ...behindValue],
  MODIFIER: ['PREFIX', ...values.filter(kind => kind !== 'TIME'), 'CLAUSE_CLOSE'],
  COMPARATOR: ['PREFIX', ...values, 'CLAUSE_CLOSE'],
  LOGICALOP: ['PREFIX', ...values, 'CLAUSE_CLOSE'],
  PREFIX: ['NUMERIC', 'BOOLEAN', 'VARIABLE', 'ACCESSOR', 'CLAUSE', 'CLAUSE_CLOSE'],
  TERNARY: ['PREFIX', ...values, 'SEPARATOR'],
  SEPARATOR: ['PREFIX', ...values],
};

const symbolKinds: ReadonlyMap<string, WhenTokenKind> = new Map([
  ...['+', '-', '*', '/', '%', '**', '&', '|', '^', '>>', '<<'].map(symbol => [symbol, 'MODIFIER'] as const),
  ...['&&', '||'].map(symbol => [symbol, 'LOGICALOP'] as const),
  ...['==', '!=', '>', '>=', '<', '<=', '=~', '!~'].map(symbol => [symbol, 'COMPARATOR'] as const),
  ...['?', ':', '??'].map(symbol => [symbol, 'TERNARY'] as const),
]);

const timeLayouts = [
  'Mon Jan _2 15:04:05 2006',
  'Mon Jan _2 15:04:05 MST 2006',
  'Mon Jan 02 15:04:05 -0700 2006',
  '3:04PM',
  '2006-01-02T15:04:05Z07:00',
  '2006-01-02',
  '2006-01-02 15:04',
  '2006-01-02 15:04:05',
  '2006-01-02 15:04:05-07:00',
  '2006-01-02T15Z0700',
  '2006-01-02T15:04Z0700',
  '2006-01-02T15:04:05Z0700',
];

/** Splits a condition into tokens. Throws a Failure as govaluate words it. */
export function tokenizeWhen(text: string): WhenToken[] {
  const tokens: WhenToken[] = [];
  const reader = new CharacterReader(text);
  for (;;) {
    const previous = tokens.at(-1)?.kind ?? 'UNKNOWN';
    const token = reader.readToken(followers[previous].includes('PREFIX'));
    if (token === undefined) return tokens;
    tokens.push(token);
  }
}

class CharacterReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readToken(mayBePrefix: boolean): WhenToken | undefined {
    this.#match(/\s+/uy);
    const character = this.#text[this.#at];
    if (character === undefined) return undefined;
    if (/[\d.]/.test(character)) return this.#readNumber();
    if (character === ',') return this.#single('SEPARATOR');
    if (character === '[') return this.#readBracket();
    if (/\p{L}/u.test(character)) return this.#readWord();
    if (character === "'" || character === '"') return this.#readQuoted();
    if (character === '(') return this.#single('CLAUSE');
    if (character === ')') return this.#single('CLAUSE_CLOSE');
    return this.#readSymbol(mayBePrefix);
  }

  #single(kind: WhenTokenKind): WhenToken {
    const value = this.#text[this.#at++] ?? '';
    // Parentheses are runes of Go, which messages show as their numbers.
    return { kind, value: kind === 'SEPARATOR' ? value : String(value.charCodeAt(0)) };
  }

  #readNumber(): WhenToken {
    const hex = this.#match(/0x[0-9a-fA-F]+/y);
    if (hex !== undefined) return { kind: 'NUMERIC', value: Number(hex) };
    const text = this.#match(/[\d.]+/y) ?? '';
    const isNumber = /^(?:\d+\.?\d*|\.\d+)$/.test(text);
    return isNumber
      ? { kind: 'NUMERIC', value: Number(text) }
      : fail(`Unable to parse numeric value '${text}' to float64\n`);
  }

  #readBracket(): WhenToken {
    const value = this.#readUntil(']', 'Unclosed parameter bracket');
    return { kind: 'VARIABLE', value };
  }

  #readQuoted(): WhenToken {
    const value = this.#readUntil(`'"`, 'Unclosed string literal');
    const time = timeOf(value);
    return time === undefined ? { kind: 'STRING', value } : { kind: 'TIME', value: time };
  }

  /** The text between the character here and one that closes it; a backslash escapes anything. */
  #readUntil(closing: string, problem: string): string {
    let value = '';
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at] ?? '';
      if (closing.includes(character)) {
        this.#at++;
        return value;
      }
      value += character === '\\' ? (this.#text[++this.#at] ?? '') : character;
    }
    return fail(problem);
  }

  #readWord(): WhenToken {
    const value = (this.#match(/(?:[\p{L}\p{Nd}_.]|\\[^])+/uy) ?? '').replaceAll(/\\([^])/g, '$1');
    if (value === 'true' || value === 'false') return { kind: 'BOOLEAN', value: value === 'true' };
    if (value === 'in' || value === 'IN') return { kind: 'COMPARATOR', value: 'in' };
    if (value.indexOf('.') > 0) return this.#accessor(value);
    return { kind: 'VARIABLE', value };
  }

  #accessor(value: string): WhenToken {
    if (value.endsWith('.')) fail(`Hanging accessor on token '${value}'`);
    const hidden = value
      .split('.')
      .slice(1)
      .find(part => part.slice(0, 1).toUpperCase() !== part.slice(0, 1));
    if (hidden !== undefined) fail(`Unable to access unexported field '${hidden}' in token '${value}'`);
    return { kind: 'ACCESSOR', value };
  }

  #readSymbol(mayBePrefix: boolean): WhenToken {
    const value = (this.#match(/(?:\\[^]|[^\p{L}\p{Nd}()[\]'"\s])+/uy) ?? this.#text.slice(this.#at)).replaceAll(
      /\\([^])/g,
      '$1',
    );
    if (mayBePrefix && ['-', '!', '~'].includes(value)) return { kind: 'PREFIX', value };
    const kind = symbolKinds.get(value);
    return kind === undefined ? fail(`Invalid token: '${value}'`) : { kind, value };
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const text = pattern.exec(this.#text)?.[0];
    this.#at += text?.length ?? 0;
    return text;
  }
}

/** Unix seconds of a text that is a time. */
function timeOf(text: string): number | undefined {
  if (!/\d[:-]\d/.test(text) || text.length > 100) return undefined;
  for (const layout of timeLayouts) {
    try {
      return Number(unixSeconds(parseTime(layout, text)));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
    }
  }
  return undefined;
}
