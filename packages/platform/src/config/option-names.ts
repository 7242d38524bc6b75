/** `dataDir` → `data-dir`; `data_dir` and `Data-Dir` too. */
export const kebabCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();

/** `dataDir` → `--data-dir`. */
export const flagName = (key: string): string => `--${kebabCase(key)}`;

/** `dataDir` → `CHANDLERY_DATA_DIR`. */
export const environmentName = (key: string): string =>
  `CHANDLERY_${kebabCase(key).replaceAll('-', '_').toUpperCase()}`;

/** Longer words take too long to compare, and are not typed. */
const maxWordLength = 100;

/** The candidate that `word` was most likely meant to be; undefined when none is near. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > maxWordLength) return undefined;
  const ranked = candidates
    .map(candidate => ({ candidate, distance: editDistance(word, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  return best !== undefined && best.distance <= Math.max(2, Math.floor(word.length / 3)) ? best.candidate : undefined;
}

/** The end of a message about an unknown word: `; did you mean "x"?`, or nothing when none is near. */
export const didYouMean = (word: string, candidates: readonly string[]): string => {
  const meant = nearest(word, candidates);
  return meant === undefined ? '' : `; did you mean "${meant}"?`;
};

/** How many letters must be changed, added or dropped (Levenshtein). */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(substituted, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
