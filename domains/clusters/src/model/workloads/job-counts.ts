import { indexOf, parseIndexes } from './job-indexes.ts';
import type { Job, PodObject } from './objects.ts';
import { hasEnded, isActive } from './pods.ts';

/** The counts of a job's pods. */
export interface JobCounts {
  readonly active: readonly PodObject[];
  readonly terminating: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly completed: readonly number[];
}

/** Counts never decrease: pods that are deleted after they were counted stay counted. */
export function countPods({ spec, status }: Job, pods: readonly PodObject[]): JobCounts {
  const present = (phase: string): readonly PodObject[] => pods.filter(pod => pod.status?.phase === phase);
  const failed = present('Failed').filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const isIndexed = spec?.completionMode === 'Indexed';
  const indexes = present('Succeeded').flatMap(pod => indexOf(pod) ?? []);
  const known = parseIndexes(status?.completedIndexes);
  const completed = isIndexed ? [...new Set([...known, ...indexes])].filter(index => index < completionsOf(spec)) : [];
  return {
    active: pods.filter(isActive),
    terminating: pods.filter(pod => pod.metadata.deletionTimestamp !== undefined && !hasEnded(pod)).length,
    succeeded: isIndexed ? completed.length : Math.max(status?.succeeded ?? 0, present('Succeeded').length),
    failed: Math.max(status?.failed ?? 0, failed.length),
    completed,
  };
}

const completionsOf = (spec: Job['spec']): number => spec?.completions ?? Number.POSITIVE_INFINITY;
