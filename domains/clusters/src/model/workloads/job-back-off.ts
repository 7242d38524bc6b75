import type { PodObject } from './objects.ts';
import { endedAtMs } from './pods.ts';

/** How long a job waits before it replaces a pod that failed. Kubernetes' numbers by default. */
export interface JobBackOff {
  readonly initialMs: number;
  readonly maxMs: number;
}

export const defaultJobBackOff: JobBackOff = { initialMs: 10_000, maxMs: 600_000 };

/**
 * When a job may create pods again: at once, or after a delay that doubles with each failure since the last success.
 */
export function failureDelayMs(pods: readonly PodObject[], { initialMs, maxMs }: JobBackOff): number {
  const ends = (phase: string): readonly number[] =>
    pods.filter(({ status }) => status?.phase === phase).map(endedAtMs);
  const lastSuccess = Math.max(0, ...ends('Succeeded'));
  const failures = ends('Failed').filter(atMs => atMs > lastSuccess);
  if (failures.length === 0) return 0;
  return Math.max(...failures) + Math.min(initialMs * 2 ** Math.min(failures.length - 1, 30), maxMs);
}
