import type { KubeObject } from '@chandlery/api';
import { conditionsOf, isDeleting } from '@chandlery/runtime';

export type ServicePhase = 'Progressing' | 'Ready' | 'Failed' | 'Terminating';

/** Reasons of `Ready` for a failed attempt, and for an object of the service that failed for good. */
const failures: readonly (string | undefined)[] = ['UserError', 'ReconcileError', 'Failed'];

/** Conditions whose status False is the healthy one. */
const troubles: readonly string[] = ['Paused', 'DeletionBlocked'];

/** Conditions that do not describe the state of the service. */
const aside: readonly string[] = ['Synced', 'InUse'];

/**
 * Summarises the conditions of a service object. `Synced` is set after the steps, so that the caller passes its value.
 */
export function phaseOf(object: KubeObject, isSynced: boolean): ServicePhase {
  if (isDeleting(object)) return 'Terminating';
  const others = conditionsOf(object).filter(({ type }) => !aside.includes(type));
  const ready = others.find(({ type }) => type === 'Ready');
  if (ready?.status === 'False' && failures.includes(ready.reason)) return 'Failed';
  const isFine = others.every(({ type, status }) => (troubles.includes(type) ? status === 'False' : status === 'True'));
  return isSynced && ready !== undefined && isFine ? 'Ready' : 'Progressing';
}
