import type { ManagedInstance } from './managed-instance.ts';

/** What the cluster has of an instance: its namespace. */
export interface LocalInstance {
  readonly placementId: string;
  /** It was asked to go. It is never used again. */
  readonly isMarkedDeleted: boolean;
}

/** What is known when deciding about an instance. */
export interface InstanceSituation {
  /** Undefined: the last list does not have it. */
  readonly desired: Pick<ManagedInstance, 'placementId' | 'isDeleted' | 'isPaused'> | undefined;
  /** Undefined: nothing of it is on the cluster. */
  readonly local: LocalInstance | undefined;
  /** This process has removed this placement: a list that still has it was late. */
  readonly isRemovedPlacement: boolean;
}

/** What to do about an instance. */
export type InstanceDecision =
  /** Nothing. */
  | 'keep'
  /** Make it so, and report it. */
  | 'apply'
  /** Mark it and remove everything of it. */
  | 'remove'
  /** It was deleted as requested. */
  | 'report-deleted';

/**
 * Decides what to do about an instance. Nothing is removed because a list lacks it: only what was marked before, what the
 * control plane wants deleted, and what has another placement. What was marked is never created again.
 */
export function decideInstance({ desired, local, isRemovedPlacement }: InstanceSituation): InstanceDecision {
  if (desired?.isPaused === true) return 'keep';
  if (local?.isMarkedDeleted === true) return 'remove';
  if (desired === undefined) return 'keep';
  if (desired.isDeleted) return local === undefined ? 'report-deleted' : 'remove';
  if (local !== undefined && local.placementId !== desired.placementId) return 'remove';
  return isRemovedPlacement ? 'keep' : 'apply';
}
