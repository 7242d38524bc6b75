import { isError } from '@chandlery/api';
import type { StepContext, StepResult } from '@chandlery/runtime';
import type { ServiceObject } from '../../definition/service-kind.ts';
import type { ReconcileScope } from '../reconcile-scope.ts';

/** Deletes the object when its provider is deleted with the policy Orphan; the next reconcile releases the service. */
export async function leaveWithProvider(
  object: ServiceObject,
  { deps }: ReconcileScope,
  step: StepContext,
): Promise<StepResult> {
  if (deps.leaving.since() === undefined) return 'continue';
  const { namespace, name = '', uid } = object.metadata;
  const preconditions = uid === undefined ? {} : { uid };
  try {
    await deps.onboarding.delete(
      { ...deps.definition.api.ref, namespace, name },
      { signal: step.signal, preconditions },
    );
  } catch (error) {
    if (!isError(error, 'NotFound')) throw error;
  }
  return 'stop';
}
