import { isError, type KubeObject, toError } from '@chandlery/api';
import type { Step } from '@chandlery/runtime';

/** Reports a failure in an object's status. */
export type FailureReport<T extends KubeObject> = (object: T, message: string, now: Date) => void;

/**
 * Wraps a step so that its failures are reported in a condition of its own besides `Synced`. Conflicts are not
 * reported.
 */
export function showFailure<T extends KubeObject, Deps>(step: Step<T, Deps>, report: FailureReport<T>): Step<T, Deps> {
  const shown: Step<T, Deps> = async (object, deps, context) => {
    try {
      return await step(object, deps, context);
    } catch (thrown) {
      if (!isError(thrown, 'Conflict')) report(object, toError(thrown).message, context.now);
      throw thrown;
    }
  };
  // Traces show the names of steps.
  return Object.defineProperty(shown, 'name', { value: step.name });
}
