import { parseTime } from '@chandlery/api';
import type { PodObject } from './objects.ts';

const conditionOf = ({ status }: PodObject, type: string) =>
  status?.conditions?.find(condition => condition.type === type);

const timeMs = (text: string | undefined): number => (text === undefined ? undefined : parseTime(text))?.getTime() ?? 0;

/** Whether a pod runs or will: it has not ended and is not being deleted. */
export const isActive = (pod: PodObject): boolean => pod.metadata.deletionTimestamp === undefined && !hasEnded(pod);

/** True when nothing of it will run again. */
export const hasEnded = ({ status }: PodObject): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

export const isPodReady = (pod: PodObject): boolean => conditionOf(pod, 'Ready')?.status === 'True';

/** Since when it is ready, in milliseconds; 0 when it is not. */
export const readySinceMs = (pod: PodObject): number =>
  isPodReady(pod) ? timeMs(conditionOf(pod, 'Ready')?.lastTransitionTime) : 0;

/** When a ready pod counts as available: at once, or once it was ready for a while. */
export function availableAtMs(pod: PodObject, minReadySeconds: number): number {
  if (!isPodReady(pod)) return Number.POSITIVE_INFINITY;
  return minReadySeconds === 0 ? 0 : readySinceMs(pod) + minReadySeconds * 1000;
}

export const createdAtMs = ({ metadata }: { metadata: { creationTimestamp?: string } }): number =>
  timeMs(metadata.creationTimestamp);

/** How often its containers were started again. */
export const restartsOf = ({ status }: PodObject): number =>
  [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].reduce(
    (sum, { restartCount }) => sum + restartCount,
    0,
  );

/** When the last of its containers ended, in milliseconds; its creation time if that is not known. */
export function endedAtMs(pod: PodObject): number {
  const ends = (pod.status?.containerStatuses ?? []).map(({ state }) => timeMs(state.terminated?.finishedAt));
  return Math.max(createdAtMs(pod), ...ends);
}
