import type { Meter } from '../values/meter.ts';

/** Go's unicode.IsSpace. */
const goSpace = String.raw`[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]`;
const leadingSpace = new RegExp(`^${goSpace}+`);

export const trimSpace = (text: string): string =>
  trimEnd(text.replace(leadingSpace, ''), character => isSpace.test(character));

const isSpace = new RegExp(`^${goSpace}$`);

/** Removes characters of a set from both ends. */
export function trimCharacters(text: string, characters: string): string {
  return trimStartOf(trimEndOf(text, characters), characters);
}

export function trimStartOf(text: string, characters: string): string {
  const all = new Set(characters);
  const letters = Array.from(text);
  const start = letters.findIndex(letter => !all.has(letter));
  return start < 0 ? '' : letters.slice(start).join('');
}

export function trimEndOf(text: string, characters: string): string {
  const all = new Set(characters);
  return trimEnd(text, letter => all.has(letter));
}

function trimEnd(text: string, isTrimmed: (letter: string) => boolean): string {
  const letters = Array.from(text);
  return letters.slice(0, letters.findLastIndex(letter => !isTrimmed(letter)) + 1).join('');
}

/** Go's strings.SplitN and SplitAfterN; `max` below 0 means all parts. */
export function splitText(text: string, separator: string, max: number, keepsSeparator = false): string[] {
  if (max === 0) return [];
  const parts = separator === '' ? Array.from(text) : text.split(separator);
  const limited =
    max > 0 && parts.length > max ? [...parts.slice(0, max - 1), parts.slice(max - 1).join(separator)] : parts;
  return keepsSeparator
    ? limited.map((part, index) => (index < limited.length - 1 ? part + separator : part))
    : limited;
}

/** Go's strings.Replace; `max` below 0 means everywhere. */
export function replaceText(text: string, from: string, to: string, max: number, meter: Meter): string {
  if (max === 0 || from === to) return text;
  const gaps = from === '' ? emptyMatches(text) : text.split(from);
  const count = max < 0 ? gaps.length - 1 : Math.min(max, gaps.length - 1);
  meter.chargeText(text.length + count * to.length);
  return (
    gaps.slice(0, count + 1).join(to) +
    gaps
      .slice(count + 1)
      .map(gap => from + gap)
      .join('')
  );
}

/** What lies between the empty texts before, between and after all characters. */
const emptyMatches = (text: string): string[] => ['', ...Array.from(text), ''];
