// What is parsed here must be possible to write again.
import './big-integers.ts';

/** Integers with fewer digits are exact in a JavaScript number. */
const minDigits = 16;

/**
 * `JSON.parse` that keeps integers within int64 exact: those beyond the safe integers become `bigint`. Integers beyond
 * int64 become doubles, as in Kubernetes' decoder. Throws what `JSON.parse` throws.
 *
 * Nearly all texts have no such integer, and finding that out costs a small fraction of parsing.
 */
export function parseJson(text: string): unknown {
  if (!hasLongDigits(text)) return JSON.parse(text);
  const steps = parseExactly(text);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** As {@link parseJson}, in steps: a text of many wide integers takes long. */
export function* parsingJson(text: string): Generator<undefined, unknown, undefined> {
  return hasLongDigits(text) ? yield* parseExactly(text) : (JSON.parse(text) as unknown);
}

/** Whether so many digits stand in a row. Such a row covers one of every sixteen positions; only these are read. */
export function hasLongDigits(text: string): boolean {
  for (let at = minDigits - 1; at < text.length; at += minDigits) {
    if (isDigit(text.charCodeAt(at)) && hasLongDigitsAround(text, at)) return true;
  }
  return false;
}

function hasLongDigitsAround(text: string, at: number): boolean {
  let start = at;
  while (start > at - minDigits && isDigit(text.charCodeAt(start - 1))) start--;
  let end = at + 1;
  while (end - start < minDigits && isDigit(text.charCodeAt(end))) end++;
  return end - start >= minDigits;
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/**
 * Wide integers are parsed as strings that start with this, then converted. Random, so that no string of a client does.
 */
const marker = `${crypto.randomUUID().slice(0, 18)}:`;

function* parseExactly(text: string): Generator<undefined, unknown, undefined> {
  const marked = markWideIntegers(text);
  yield;
  if (marked === text) return JSON.parse(text) as unknown;
  try {
    const value: unknown = JSON.parse(marked);
    yield;
    return convertMarked(value);
  } catch {
    // The message must not show the marker.
    return JSON.parse(text) as unknown;
  }
}

const quote = 0x22;
const minus = 0x2d;
const colon = 0x3a;
const backslash = 0x5c;

function markWideIntegers(text: string): string {
  let result = '';
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = findClosingQuote(text, at);
    else if (isDigit(code) || code === minus) {
      const end = findNumberEnd(text, at);
      if (end - at >= minDigits && isWideInteger(text.slice(at, end)) && !isKey(text, end)) {
        result += `${text.slice(copied, at)}"${marker}${text.slice(at, end)}"`;
        copied = end;
      }
      at = end - 1;
    }
  }
  return copied === 0 ? text : result + text.slice(copied);
}

/** The position of the quote that ends the string starting at `start`; the text's length when there is none. */
export function findClosingQuote(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, position: number): boolean {
  let first = position;
  while (text.charCodeAt(first - 1) === backslash) first--;
  return (position - first) % 2 === 1;
}

/** Behind everything that may be part of a number. */
function findNumberEnd(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && isNumberCharacter(text.charCodeAt(end))) end++;
  return end;
}

/** Digits, `+`, `-`, `.`, `e`, `E`. */
const isNumberCharacter = (code: number): boolean =>
  isDigit(code) || code === 0x2b || code === minus || code === 0x2e || code === 0x45 || code === 0x65;

/** An integer that is within int64 and beyond the safe integers; compared as text, which is cheaper than making bigints. */
function isWideInteger(token: string): boolean {
  if (!/^-?[1-9]\d{15,18}$/.test(token)) return false;
  const isNegative = token.startsWith('-');
  const digits = isNegative ? token.slice(1) : token;
  if (digits.length === minDigits) return digits > maxSafeDigits;
  return digits.length < maxDigits || digits <= (isNegative ? minInt64Digits : maxInt64Digits);
}

const maxSafeDigits = String(Number.MAX_SAFE_INTEGER);
const maxInt64Digits = String(2n ** 63n - 1n);
const minInt64Digits = String(2n ** 63n);
const maxDigits = maxInt64Digits.length;

/** A number where a key must stand is an error, and must stay one. */
function isKey(text: string, end: number): boolean {
  let at = end;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++;
  return text.charCodeAt(at) === colon;
}

/** Replaces marked strings by their integers, in place; not recursively, since depth may not have been checked. */
function convertMarked(root: unknown): unknown {
  const holder = [root];
  const pending: object[] = [holder];
  const convert = (value: unknown): unknown => {
    if (typeof value === 'object' && value !== null) pending.push(value);
    else if (typeof value === 'string' && value.startsWith(marker)) return BigInt(value.slice(marker.length));
    return value;
  };
  for (let container = pending.pop(); container !== undefined; container = pending.pop()) {
    if (Array.isArray(container)) convertItems(container, convert);
    else convertFields(container as Record<string, unknown>, convert);
  }
  return holder[0];
}

function convertItems(list: unknown[], convert: (value: unknown) => unknown): void {
  for (let index = 0; index < list.length; index++) list[index] = convert(list[index]);
}

function convertFields(object: Record<string, unknown>, convert: (value: unknown) => unknown): void {
  for (const key of Object.keys(object)) {
    const value = convert(object[key]);
    // Assigning to a key named `__proto__` would be lost.
    if (typeof value === 'bigint') Object.defineProperty(object, key, { value });
  }
}
