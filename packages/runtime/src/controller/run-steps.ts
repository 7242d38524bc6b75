import { type KubeObject, toError } from '@chandlery/api';
import type { Step, StepContext, StepResult, Tracer } from './step.ts';

/** Runs steps in order until one does not say `continue`. What a step throws ends the list and goes to the caller. */
export async function runSteps<T extends KubeObject, Needs>(
  steps: readonly Step<T, Needs>[],
  object: T,
  { needs, tracer }: { readonly needs: Needs; readonly tracer: Tracer },
  context: StepContext,
): Promise<StepResult> {
  for (const step of steps) {
    context.signal.throwIfAborted();
    const result = await traced(tracer, step.name, context.key, () => step(object, needs, context));
    if (result !== 'continue') return result;
  }
  return 'continue';
}

async function traced<T>(tracer: Tracer, name: string, key: string, call: () => T | Promise<T>): Promise<T> {
  const span = tracer.startSpan(`step ${name || 'anonymous'}`, { key });
  try {
    return await call();
  } catch (thrown) {
    span.recordError(toError(thrown));
    throw thrown;
  } finally {
    span.end();
  }
}
