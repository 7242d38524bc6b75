import { withoutZeros } from './numbers.ts';
import type { PodObject, ReplicaSet } from './objects.ts';
import { availableAtMs, createdAtMs, isPodReady, readySinceMs, restartsOf } from './pods.ts';

/** What a replica set does next. */
export interface ReplicaPlan {
  readonly create: number;
  readonly remove: readonly PodObject[];
}

const deletionCost = ({ metadata }: PodObject): number =>
  Number(metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0) || 0;

const phaseRank = ({ status }: PodObject): number => (status?.phase === 'Running' ? 1 : 0);

const byRecency = (left: number, right: number): number => right - left;

/**
 * Who goes first: without a node, not running, not ready, cheap, ready for a short time, restarted often, young. The
 * name decides in the end, so that every look at the same pods chooses the same.
 */
export function compareForRemoval(left: PodObject, right: PodObject): number {
  return (
    Number(left.spec?.nodeName !== undefined) - Number(right.spec?.nodeName !== undefined) ||
    phaseRank(left) - phaseRank(right) ||
    Number(isPodReady(left)) - Number(isPodReady(right)) ||
    deletionCost(left) - deletionCost(right) ||
    byRecency(readySinceMs(left), readySinceMs(right)) ||
    restartsOf(right) - restartsOf(left) ||
    byRecency(createdAtMs(left), createdAtMs(right)) ||
    ((left.metadata.name ?? '') < (right.metadata.name ?? '') ? 1 : -1)
  );
}

/** Decides about the active pods of a replica set. */
export function planReplicas(wanted: number, active: readonly PodObject[]): ReplicaPlan {
  const surplus = active.length - wanted;
  if (surplus <= 0) return { create: -surplus, remove: [] };
  return { create: 0, remove: active.toSorted(compareForRemoval).slice(0, surplus) };
}

/** The numbers that a replica set reports, and when a ready pod will be available. */
export function countReplicas(
  { spec }: ReplicaSet,
  active: readonly PodObject[],
  now: Date,
): { readonly status: NonNullable<ReplicaSet['status']>; readonly availableAtMs: number } {
  const minReadySeconds = spec?.minReadySeconds ?? 0;
  const availableTimes = active.map(pod => availableAtMs(pod, minReadySeconds));
  const labels = Object.entries(spec?.template?.metadata?.labels ?? {});
  const isFullyLabelled = (pod: PodObject): boolean =>
    labels.every(([key, value]) => pod.metadata.labels?.[key] === value);
  const later = availableTimes.filter(atMs => atMs > now.getTime());
  return {
    status: {
      replicas: active.length,
      ...withoutZeros({
        fullyLabeledReplicas: active.filter(isFullyLabelled).length,
        readyReplicas: active.filter(isPodReady).length,
        availableReplicas: availableTimes.length - later.length,
      }),
    },
    availableAtMs: Math.min(Number.POSITIVE_INFINITY, ...later),
  };
}
