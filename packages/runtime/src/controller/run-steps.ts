import type { KubeObject } from '@chandlery/api';
import { type Tracer, traced } from '@chandlery/platform';
import type { Step, StepContext, StepResult } from './step.ts';

/** Runs steps in order until one does not say `continue`. What a step throws ends the list and goes to the caller. */
export async function runSteps<T extends KubeObject, Needs>(
  steps: readonly Step<T, Needs>[],
  object: T,
  { needs, tracer }: { readonly needs: Needs; readonly tracer: Tracer },
  context: StepContext,
): Promise<StepResult> {
  for (const step of steps) {
    context.signal.throwIfAborted();
    const name = `step ${step.name || 'anonymous'}`;
    const result = await traced(tracer, name, { needsParent: true }, () => step(object, needs, context));
    if (result !== 'continue') return result;
  }
  return 'continue';
}
