import type { Steps } from '@chandlery/platform';

/** Few enough to be sorted at once. */
const runLength = 256;
/** Rows merged between two steps. */
const stepLength = 1024;

/** Sorts in steps, between which others may work. Stable. */
export function* sortInSteps<T>(items: readonly T[], compare: (one: T, other: T) => number): Steps<readonly T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += runLength) {
    runs.push(items.slice(at, at + runLength).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(yield* mergeRuns(runs[at] ?? [], runs[at + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergeRuns<T>(left: readonly T[], right: readonly T[], compare: (one: T, other: T) => number): Steps<T[]> {
  const merged: T[] = [];
  let [atLeft, atRight] = [0, 0];
  while (atLeft < left.length || atRight < right.length) {
    const isLeftNext =
      atRight >= right.length || (atLeft < left.length && compare(left[atLeft] as T, right[atRight] as T) <= 0);
    merged.push((isLeftNext ? left[atLeft++] : right[atRight++]) as T);
    if (merged.length % stepLength === 0) yield;
  }
  return merged;
}
