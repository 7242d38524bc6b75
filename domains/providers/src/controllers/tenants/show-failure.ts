import { isError, type KubeObject, toError } from '@chandlery/api';
import type { Step } from '@chandlery/runtime';

/** Says in an object's status what went wrong. */
export type FailureReport<T extends KubeObject> = (object: T, message: string, now: Date) => void;

/** The step, with its failures reported in words of its own besides `Synced`. A lost race is not news. */
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
