import { allContainers, type PodSpec } from './pod.ts';

/** Resources with limits or requests that the node does not enforce, sorted. */
export function unenforcedLimits(spec: PodSpec, enforced: ReadonlySet<string>): readonly string[] {
  const named = allContainers(spec).flatMap(({ resources }) => [
    ...Object.keys(resources?.limits ?? {}),
    ...Object.keys(resources?.requests ?? {}).filter(name => !shares.has(name)),
  ]);
  return [...new Set(named)].filter(name => !enforced.has(name)).sort();
}

/** A request of these reserves a share, and limits nothing. */
const shares: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);
