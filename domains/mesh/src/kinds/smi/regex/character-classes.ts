import type { CharacterTest } from './regex-node.ts';

const between =
  (from: number, to: number): CharacterTest =>
  codePoint =>
    codePoint >= from && codePoint <= to;

export const charRange = between;
export const anyOf =
  (tests: readonly CharacterTest[]): CharacterTest =>
  codePoint =>
    tests.some(test => test(codePoint));
export const not =
  (test: CharacterTest): CharacterTest =>
  codePoint =>
    !test(codePoint);

const oneOf =
  (characters: string): CharacterTest =>
  codePoint =>
    codePoint < 128 && characters.includes(String.fromCharCode(codePoint));

const lower = between(97, 122);
const upper = between(65, 90);
const digit = between(48, 57);
const alpha = anyOf([lower, upper]);

/** Letters of ASCII, digits and the underscore: what `\w` and word edges mean. */
export const isWordCharacter = anyOf([alpha, digit, oneOf('_')]);

/** What a letter after a backslash stands for: `\d`, `\W`, … */
export const perlClasses: Readonly<Record<string, CharacterTest>> = {
  d: digit,
  D: not(digit),
  w: isWordCharacter,
  W: not(isWordCharacter),
  s: oneOf('\t\n\f\r '),
  S: not(oneOf('\t\n\f\r ')),
};

/** What a name in `[[:name:]]` stands for. */
export const posixClasses: Readonly<Record<string, CharacterTest>> = {
  alnum: anyOf([alpha, digit]),
  alpha,
  ascii: between(0, 127),
  blank: oneOf('\t '),
  cntrl: anyOf([between(0, 31), between(127, 127)]),
  digit,
  graph: between(33, 126),
  lower,
  print: between(32, 126),
  punct: anyOf([between(33, 47), between(58, 64), between(91, 96), between(123, 126)]),
  space: oneOf('\t\n\v\f\r '),
  upper,
  word: isWordCharacter,
  xdigit: anyOf([digit, between(65, 70), between(97, 102)]),
};

const unicodeNames =
  /^(?:L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?|C[cfo]?|Latin|Greek|Cyrillic|Han|Hiragana|Katakana|Hangul|Arabic|Hebrew|Thai|Devanagari|Armenian|Georgian)$/;

/** The characters of a Unicode category or of a well-known script; undefined for others. */
export function unicodeClass(name: string): CharacterTest | undefined {
  if (!unicodeNames.test(name)) return undefined;
  const property = name.length <= 2 ? `\\p{${name}}` : `\\p{Script=${name}}`;
  const pattern = new RegExp(`^${property}$`, 'u');
  return codePoint => pattern.test(String.fromCodePoint(codePoint));
}

/** The same, whether in upper or in lower case. */
export const ignoringCase =
  (test: CharacterTest): CharacterTest =>
  codePoint => {
    if (test(codePoint)) return true;
    const character = String.fromCodePoint(codePoint);
    return [character.toLowerCase(), character.toUpperCase()].some(other => test(other.codePointAt(0) ?? codePoint));
  };
