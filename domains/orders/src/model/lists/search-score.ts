/** A field that is searched, and how much a hit in it counts. */
export interface SearchedField {
  readonly text: string;
  readonly weight: number;
}

/** The words of a search, in lower case. */
export const searchWords = (search: string): readonly string[] =>
  search
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '');

/**
 * Returns how well fields match a search, from 0 (not at all) to 1. Every word must be found somewhere; a whole word
 * counts twice as much as a part of one.
 */
export function scoreOf(words: readonly string[], fields: readonly SearchedField[]): number {
  if (words.length === 0) return 0;
  const best = 2 * fields.reduce((sum, { weight }) => sum + weight, 0);
  const scores = words.map(word => fields.reduce((sum, field) => sum + hitOf(word, field), 0));
  if (best === 0 || scores.includes(0)) return 0;
  return scores.reduce((sum, score) => sum + score, 0) / (best * words.length);
}

function hitOf(word: string, { text, weight }: SearchedField): number {
  const lower = text.toLowerCase();
  if (!lower.includes(word)) return 0;
  return searchWords(lower).includes(word) ? 2 * weight : weight;
}
