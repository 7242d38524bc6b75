import type { KubeObject } from '@chandlery/api';
import { conditionsOf, isDeleting } from '@chandlery/runtime';

export type ServicePhase = 'Progressing' | 'Ready' | 'Terminating';

/** Conditions of which "no" is good news. */
const troubles: readonly string[] = ['Paused', 'DeletionBlocked'];

/**
 * A service object's conditions in one word. `Synced` is stated after the steps have ended, so that only they can say
 * whether it will be true.
 */
export function phaseOf(object: KubeObject, isSynced: boolean): ServicePhase {
  if (isDeleting(object)) return 'Terminating';
  const others = conditionsOf(object).filter(({ type }) => type !== 'Synced');
  const hasReady = others.some(({ type }) => type === 'Ready');
  const isFine = others.every(({ type, status }) => (troubles.includes(type) ? status === 'False' : status === 'True'));
  return isSynced && hasReady && isFine ? 'Ready' : 'Progressing';
}
