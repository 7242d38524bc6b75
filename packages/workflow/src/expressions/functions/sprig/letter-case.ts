const letters = (text: string): string[] => Array.from(text);
const isLetter = (character: string): boolean => /^\p{L}$/u.test(character);
const isUpper = (character: string): boolean => /^\p{Lu}$/u.test(character);
const isLower = (character: string): boolean => /^\p{Ll}$/u.test(character);
const isDigit = (character: string): boolean => /^\p{Nd}$/u.test(character);
const isConnector = (character: string): boolean => character === '-' || character === '_' || /^\s$/u.test(character);

/** Every first letter of a word in upper case. */
export const titleCase = (text: string): string =>
  text.replaceAll(/(?<![\p{L}\p{Nd}_'])\p{L}/gu, letter => letter.toUpperCase());

/** The first letter of every word in lower case. */
export const uncapitalize = (text: string): string =>
  text.replaceAll(/(^|\s)(\S)/gu, (_, space: string, letter: string) => space + letter.toLowerCase());

/** Upper case becomes lower; lower case becomes upper, or title case at the start of a word. */
export function swapCase(text: string): string {
  return letters(text)
    .map(letter => (isUpper(letter) ? letter.toLowerCase() : isLower(letter) ? letter.toUpperCase() : letter))
    .join('');
}

export const snakeCase = (text: string): string => joinWords(text, '_');
export const kebabCase = (text: string): string => joinWords(text, '-');

/** Words of lower case with a connector between: before upper case, and between letters and digits where a word ends. */
function joinWords(text: string, connector: string): string {
  const words: string[] = [];
  let rest = letters(text);
  while (rest.length > 0) {
    const size = wordSize(rest);
    words.push(rest.slice(0, size).join(''));
    rest = rest.slice(size);
  }
  return assemble(words, connector);
}

function wordSize(rest: readonly string[]): number {
  const [first = '', second = ''] = rest;
  const run = (test: (character: string) => boolean, from = 0): number => {
    let at = from;
    while (at < rest.length && test(rest[at] ?? '')) at++;
    return at;
  };
  if (isConnector(first)) return run(isConnector);
  if (isDigit(first)) return run(isDigit);
  if (isUpper(first) && isUpper(second)) return upperWordSize(rest, run(isUpper));
  if (isUpper(first)) return run(character => isLetter(character) && !isUpper(character), 1);
  return isLetter(first) ? run(character => isLetter(character) && !isUpper(character)) : 1;
}

/** Of `HTTPServer` the last upper-case letter belongs to the next word. */
function upperWordSize(rest: readonly string[], size: number): number {
  const next = rest[size];
  return next !== undefined && isLetter(next) && !isUpper(next) ? size - 1 : size;
}

/**
 * A number belongs to the word before it (`bld4_floor`), unless lower case follows: then it starts a word that continues
 * until upper case (`http_20x_ok`).
 */
function assemble(words: readonly string[], connector: string): string {
  let result = '';
  let isNumberWord = false;
  for (const [index, word] of words.entries()) {
    const [first = '', previous = '', following = ''] = [word, words[index - 1] ?? '', words[index + 1] ?? ''].map(
      firstOf,
    );
    const isContinued: boolean = isNumberWord && (isDigit(first) || isLowerLetter(first));
    const startsNumberWord = isDigit(first) && (isLowerLetter(following) || index === 0 || !isAlphanumeric(previous));
    const isJoined =
      isAlphanumeric(previous) && isAlphanumeric(first) && !isContinued && (!isDigit(first) || startsNumberWord);
    isNumberWord = isContinued || startsNumberWord;
    result += isConnector(first)
      ? connector.repeat(letters(word).length)
      : (isJoined ? connector : '') + word.toLowerCase();
  }
  return result;
}

const firstOf = (word: string): string => letters(word)[0] ?? '';
const isLowerLetter = (character: string): boolean => isLetter(character) && !isUpper(character);
const isAlphanumeric = (character: string): boolean => isLetter(character) || isDigit(character);

/** Words joined, each with a first letter in upper case. */
export function camelCase(text: string): string {
  const [, lead = '', body = ''] = /^([-_\s]*)([^]*)$/u.exec(text) ?? [];
  const words = body.split(/[-_\s]+/u);
  const joined = words.map(word => word.slice(0, 1).toUpperCase() + word.slice(1)).join('');
  const [, trail = ''] = /[^-_\s]([-_\s]*)$/u.exec(text) ?? [];
  return lead + joined + trail;
}
