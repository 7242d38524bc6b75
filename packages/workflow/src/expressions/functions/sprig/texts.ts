import { byteLength, sliceBytes } from '../../values/byte-text.ts';
import { fail } from '../../values/failure.ts';
import { formatValue } from '../../values/format-value.ts';
import { createMap, type Value } from '../../values/value.ts';
import { replaceText, splitText, trimCharacters, trimSpace } from '../text.ts';
import { textOf, textsOf } from './convert.ts';
import { abbreviate, abbreviateBoth, goQuote, initials, wrapText } from './layout-text.ts';
import { camelCase, kebabCase, snakeCase, swapCase, titleCase, uncapitalize } from './letter-case.ts';
import { type Arguments, type SprigTable, sprig } from './signature.ts';

const onText = (change: (text: string) => Value): SprigTable[string] => sprig('string', args => change(args.text(0)));

/** A function of a part and the text it is looked for in. */
const onPart = (change: (part: string, text: string) => Value): SprigTable[string] =>
  sprig('string string', args => change(args.text(0), args.text(1)));

function truncateText(count: number, text: string): string {
  const length = byteLength(text);
  if (count < 0 && length + count > 0) return sliceBytes(text, length + count, length);
  return count >= 0 && length > count ? sliceBytes(text, 0, count) : text;
}

function substring(start: number, end: number, text: string): string {
  const length = byteLength(text);
  const [from, to] = start < 0 ? [0, end] : [start, end < 0 || end > length ? length : end];
  if (from > to || to > length || to < 0) return fail(`runtime error: slice bounds out of range [${from}:${to}]`);
  return sliceBytes(text, from, to);
}

/** Parts as a map with the keys `_0`, `_1`, … */
const numbered = (parts: readonly string[]): Value => createMap(parts.map((part, index) => [`_${index}`, part]));

function indent(args: Arguments, meter: { chargeText(length: number): void }): string {
  const margin = args.int(0);
  if (margin < 0) fail('strings: negative Repeat count');
  const lines = args.text(1).split('\n');
  meter.chargeText(margin * lines.length);
  return lines.map(line => ' '.repeat(margin) + line).join('\n');
}

const repeat = sprig('int string', (args, { meter }) => {
  const count = args.int(0);
  if (count < 0) fail('strings: negative Repeat count');
  meter.chargeText(args.text(1).length * count);
  return args.text(1).repeat(count);
});

const trimAll = onPart((characters, text) => trimCharacters(text, characters));

/** sprig's functions for texts. */
export const textFunctions: SprigTable = {
  hello: sprig('', () => 'Hello!'),
  abbrev: sprig('int string', args => abbreviate(args.text(1), 0, args.int(0))),
  abbrevboth: sprig('int int string', args => abbreviateBoth(args.text(2), args.int(0), args.int(1))),
  trunc: sprig('int string', args => truncateText(args.int(0), args.text(1))),
  trim: onText(trimSpace),
  upper: onText(text => text.toUpperCase()),
  lower: onText(text => text.toLowerCase()),
  title: onText(titleCase),
  untitle: onText(uncapitalize),
  substr: sprig('int int string', args => substring(args.int(0), args.int(1), args.text(2))),
  repeat,
  trimall: trimAll,
  trimAll,
  trimSuffix: onPart((suffix, text) => (text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text)),
  trimPrefix: onPart((prefix, text) => (text.startsWith(prefix) ? text.slice(prefix.length) : text)),
  nospace: onText(text => text.replaceAll(/\s/gu, '')),
  initials: onText(initials),
  swapcase: onText(swapCase),
  snakecase: onText(snakeCase),
  camelcase: onText(camelCase),
  kebabcase: onText(kebabCase),
  wrap: sprig('int string', args => wrapText(args.text(1), args.int(0), '\n', false)),
  wrapWith: sprig('int string string', args => wrapText(args.text(2), args.int(0), args.text(1), true)),
  contains: onPart((part, text) => text.includes(part)),
  hasPrefix: onPart((part, text) => text.startsWith(part)),
  hasSuffix: onPart((part, text) => text.endsWith(part)),
  quote: sprig('…any', (args, { meter }) =>
    args.values
      .filter(value => value !== null)
      .map(value => goQuote(textOf(value, meter)))
      .join(' '),
  ),
  squote: sprig('…any', (args, { meter }) =>
    args.values
      .filter(value => value !== null)
      .map(value => `'${formatValue(value, meter)}'`)
      .join(' '),
  ),
  cat: sprig('…any', (args, { meter }) => textsOf(args.values, meter).join(' ')),
  indent: sprig('int string', (args, { meter }) => indent(args, meter)),
  nindent: sprig('int string', (args, { meter }) => `\n${indent(args, meter)}`),
  replace: sprig('string string string', (args, { meter }) =>
    replaceText(args.text(2), args.text(0), args.text(1), -1, meter),
  ),
  plural: sprig('string string int', args => (args.int(2) === 1 ? args.text(0) : args.text(1))),
  toString: sprig('any', (args, { meter }) => textOf(args.any(0), meter)),
  split: onPart((separator, text) => numbered(splitText(text, separator, -1))),
  splitn: sprig('string int string', args => numbered(splitText(args.text(2), args.text(0), args.int(1)))),
  splitList: onPart((separator, text) => splitText(text, separator, -1)),
  toStrings: sprig('any', (args, { meter }) => textsOf(args.any(0), meter)),
  join: sprig('string any', (args, { meter }) => {
    const texts = textsOf(args.any(1), meter);
    meter.chargeText(texts.length * args.text(0).length);
    return texts.join(args.text(0));
  }),
};
