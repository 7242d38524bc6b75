import type { PodObject } from './objects.ts';

/** The number of a pod of an indexed job, as annotation and as label. */
export const indexAnnotation = 'batch.kubernetes.io/job-completion-index';

/** The number of a pod; undefined when it has none. */
export function indexOf({ metadata }: PodObject): number | undefined {
  const text = metadata.annotations?.[indexAnnotation];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** Reads `0-2,5`. */
export function parseIndexes(text: string | undefined): readonly number[] {
  const parts = (text ?? '').split(',').filter(part => part !== '');
  return parts.flatMap(part => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
  });
}

/** Writes `0-2,5`; two neighbours are written apart, as Kubernetes does. */
export function formatIndexes(indexes: readonly number[]): string {
  const sorted = [...new Set(indexes)].sort((left, right) => left - right);
  const runs: [number, number][] = [];
  for (const index of sorted) {
    const run = runs.at(-1);
    if (run !== undefined && index === run[1] + 1) run[1] = index;
    else runs.push([index, index]);
  }
  return runs.map(([first, last]) => (first === last ? `${first}` : formatRun(first, last))).join(',');
}

const formatRun = (first: number, last: number): string =>
  last === first + 1 ? `${first},${last}` : `${first}-${last}`;

/** The lowest free numbers below `completions`. */
export function freeIndexes(completions: number, taken: ReadonlySet<number>, most: number): readonly number[] {
  const free: number[] = [];
  for (let index = 0; index < completions && free.length < most; index++) if (!taken.has(index)) free.push(index);
  return free;
}
