import { findCondition, type KubeObject, situationOf } from '@chandlery/api';

/** Why the last change of an object was not carried out. */
export interface SyncProblem {
  readonly reason: string;
  readonly message: string;
}

/** The problem of an object that is well, but not as it should be by now; undefined when there is none. */
export function syncProblem(object: KubeObject): SyncProblem | undefined {
  if (situationOf(object).state !== 'ready') return undefined;
  const synced = findCondition(object, 'Synced');
  if (synced?.status !== 'False') return undefined;
  const { reason = 'NotSynced', message = '' } = synced;
  return { reason, message };
}
