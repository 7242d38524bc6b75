import { syntaxError } from './syntax-error.ts';

interface StringLiteral {
  readonly value: string;
  /** The position behind the closing quote. */
  readonly end: number;
}

const simpleEscapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
};
const numericEscape = /x([0-9a-fA-F]{2})|u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})/y;

/**
 * Reads the string literal whose quote is at `start`. Of a bytes literal each byte becomes a character below U+0100, and
 * only escapes of bytes are allowed.
 */
export function readString(source: string, start: number, isBytes: boolean): StringLiteral {
  return source[start] === '`' ? readRaw(source, start) : readQuoted(source, start, isBytes);
}

function readRaw(source: string, start: number): StringLiteral {
  const pattern = /`((?:[^`]|``)*)`/y;
  pattern.lastIndex = start;
  const match = pattern.exec(source);
  if (match === null) throw syntaxError(source, source.length, 'literal not terminated');
  return { value: (match[1] ?? '').replaceAll('``', '`'), end: start + match[0].length };
}

function readQuoted(source: string, start: number, isBytes: boolean): StringLiteral {
  const quote = source[start];
  let value = '';
  let at = start + 1;
  for (;;) {
    const character = source[at];
    if (character === quote) return { value, end: at + 1 };
    if (character === undefined || character === '\n') throw syntaxError(source, at, 'literal not terminated');
    if (character === '\\') {
      const escape = readEscape(source, at + 1, isBytes);
      value += escape.value;
      at = escape.end;
    } else {
      const whole = String.fromCodePoint(source.codePointAt(at) ?? 0);
      value += isBytes ? Buffer.from(whole).toString('latin1') : whole;
      at += whole.length;
    }
  }
}

function readEscape(source: string, at: number, isBytes: boolean): StringLiteral {
  const simple = simpleEscapes[source[at] ?? ''];
  if (simple !== undefined) return { value: simple, end: at + 1 };
  numericEscape.lastIndex = at;
  const [text = '', byte, braced, short, long, octal] = numericEscape.exec(source) ?? [];
  const code =
    octal === undefined ? Number.parseInt(byte ?? braced ?? short ?? long ?? '', 16) : Number.parseInt(octal, 8);
  const isAllowed = isBytes ? (byte ?? octal) !== undefined && code < 256 : code <= 0x10ffff;
  if (!isAllowed) throw syntaxError(source, at, 'invalid char escape');
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  return { value: isSurrogate ? '\ufffd' : String.fromCodePoint(code), end: at + text.length };
}
