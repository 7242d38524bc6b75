import { isError } from '@chandlery/api';
import type { StepResult } from '@chandlery/runtime';
import type { Pass } from '../pass.ts';

/** With a provider that leaves its services running, its objects go: each is let go by the pass that follows. */
export async function leaveWithProvider({ needs, object, step }: Pass): Promise<StepResult> {
  if (needs.leaving.since() === undefined) return 'continue';
  const { namespace, name = '', uid } = object.metadata;
  const preconditions = uid === undefined ? {} : { uid };
  try {
    await needs.onboarding.delete(
      { ...needs.definition.api.ref, namespace, name },
      { signal: step.signal, preconditions },
    );
  } catch (error) {
    if (!isError(error, 'NotFound')) throw error;
  }
  return 'stop';
}
