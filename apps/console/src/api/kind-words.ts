import type { ServedKind } from './kinds.ts';

/** What people call several objects of a kind: "service instances" for ServiceInstance. */
export function kindWords({ kind, plural }: Pick<ServedKind, 'kind' | 'plural'>): string {
  const words = kind.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+/g) ?? [];
  const last = words.at(-1);
  if (last === undefined || words.join('') !== kind) return plural;
  const first = words.slice(0, -1);
  const ending = endingOf(last.toLowerCase(), plural.slice(first.join('').length));
  const isPlural = plural.startsWith(first.join('').toLowerCase()) && ending !== undefined;
  return isPlural ? [...first, ending].map(inSentence).join(' ') : plural;
}

/** The plural of a word, when it is one. */
const endingOf = (word: string, plural: string): string | undefined =>
  plural.startsWith(word.slice(0, -1)) ? plural : undefined;

/** Abbreviations stay as they are. */
const inSentence = (word: string): string => (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase());
