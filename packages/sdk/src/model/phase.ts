import type { KubeObject } from '@chandlery/api';
import { conditionsOf, isDeleting } from '@chandlery/runtime';

export type ServicePhase = 'Progressing' | 'Ready' | 'Failed' | 'Terminating';

/** Reasons of `Ready` that say that the last attempt failed; nothing moves until something changes or is tried again. */
const failures: readonly (string | undefined)[] = ['UserError', 'ReconcileError'];

/** Conditions of which "no" is good news. */
const troubles: readonly string[] = ['Paused', 'DeletionBlocked'];

/** Conditions that say nothing of how an object is. */
const aside: readonly string[] = ['Synced', 'InUse'];

/**
 * A service object's conditions in one word. `Synced` is stated after the steps have ended, so that only they can say
 * whether it will be true.
 */
export function phaseOf(object: KubeObject, isSynced: boolean): ServicePhase {
  if (isDeleting(object)) return 'Terminating';
  const others = conditionsOf(object).filter(({ type }) => !aside.includes(type));
  const ready = others.find(({ type }) => type === 'Ready');
  if (ready?.status === 'False' && failures.includes(ready.reason)) return 'Failed';
  const isFine = others.every(({ type, status }) => (troubles.includes(type) ? status === 'False' : status === 'True'));
  return isSynced && ready !== undefined && isFine ? 'Ready' : 'Progressing';
}
