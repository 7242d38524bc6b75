import { type ChandleryError, type KubeObject, toError } from '@chandlery/api';
import type { Tracer } from '@chandlery/platform';
import { setCondition } from '../helpers/conditions.ts';
import { classifyError, type ErrorClass } from '../helpers/errors.ts';
import { addFinalizer, hasFinalizer, isDeleting, removeFinalizer } from '../helpers/finalizers.ts';
import { isReconcileRequested, markRequestHandled, reportPaused } from './annotations.ts';
import { runSteps } from './run-steps.ts';
import type { NeedsOf, Step, StepContext, StepResult } from './step.ts';

/** What decides about a reconcile; the part of a controller's options that has nothing to do with queues and writes. */
export interface ReconcileRules<T extends KubeObject, Needs extends object | undefined> {
  readonly steps: readonly Step<T, Needs>[];
  readonly onDelete: readonly Step<T, Needs>[];
  readonly finalizer: string | undefined;
  readonly needsOf: NeedsOf<T, Needs>;
  readonly onEnd: ((needs: Needs, thrown: unknown) => void | Promise<void>) | undefined;
  readonly isPaused: (object: T) => boolean;
  /** Undefined: failures are not shown in the status. */
  readonly syncedCondition: string | undefined;
  readonly hasObservedGeneration: boolean;
  readonly tracer: Tracer;
}

/** What became of a reconcile. */
export type Outcome =
  | { readonly type: 'done' }
  /** The steps want to be called again after a while. */
  | { readonly type: 'retry'; readonly afterMs: number }
  | { readonly type: 'failed'; readonly class: ErrorClass; readonly error: ChandleryError };

const done: Outcome = { type: 'done' };

/**
 * Runs one reconcile of an object, which is changed in place and not written. A finalizer is added in a reconcile of its own,
 * before any step has touched the world, and removed in the reconcile in which all deletion steps agreed.
 */
export async function reconcileObject<T extends KubeObject, Needs extends object | undefined>(
  rules: ReconcileRules<T, Needs>,
  object: T,
  context: Omit<StepContext, 'isRequested'>,
): Promise<Outcome> {
  const { finalizer } = rules;
  const isMine = finalizer === undefined || hasFinalizer(object, finalizer);
  if (isDeleting(object) && (finalizer === undefined || !isMine)) return done;
  const isPaused = rules.isPaused(object);
  reportPaused(object, isPaused, context.now);
  if (isPaused) return done;
  if (!isMine && addFinalizer(object, finalizer)) return done;
  const outcome = await runToOutcome(rules, object, { ...context, isRequested: isReconcileRequested(object) });
  report(rules, object, outcome, context.now);
  return outcome;
}

async function runToOutcome<T extends KubeObject, Needs extends object | undefined>(
  rules: ReconcileRules<T, Needs>,
  object: T,
  context: StepContext,
): Promise<Outcome> {
  const isLeaving = isDeleting(object);
  const needs = rules.needsOf(object, context);
  try {
    const steps = isLeaving ? rules.onDelete : rules.steps;
    const result = await runSteps(steps, object, { needs, tracer: rules.tracer }, context);
    await rules.onEnd?.(needs, undefined);
    if (isLeaving && result === 'continue' && rules.finalizer) removeFinalizer(object, rules.finalizer);
    return outcomeOf(result);
  } catch (thrown) {
    await rules.onEnd?.(needs, thrown);
    return { type: 'failed', class: classifyError(thrown), error: toError(thrown) };
  }
}

const outcomeOf = (result: StepResult): Outcome =>
  typeof result === 'object' ? { type: 'retry', afterMs: result.retryAfterMs } : done;

/** Keeps what every kind has in its status. A lost race leaves no trace in it. */
function report<T extends KubeObject, Needs extends object | undefined>(
  rules: ReconcileRules<T, Needs>,
  object: T,
  outcome: Outcome,
  now: Date,
): void {
  if (outcome.type === 'failed' && outcome.class === 'conflict') return;
  markRequestHandled(object);
  if (rules.syncedCondition !== undefined) reportSynced(object, rules.syncedCondition, outcome, now);
  const { generation } = object.metadata;
  if (!rules.hasObservedGeneration || generation === undefined) return;
  object['status' as keyof T] = {
    ...(object['status'] as object | undefined),
    observedGeneration: generation,
  } as T[keyof T];
}

function reportSynced(object: KubeObject, type: string, outcome: Outcome, now: Date): void {
  if (outcome.type !== 'failed') return setCondition(object, { type, status: 'True', reason: 'ReconcileSuccess' }, now);
  const { error } = outcome;
  const reason = outcome.class === 'terminal' ? 'TerminalError' : 'ReconcileError';
  const message = error.hint === undefined ? error.message : `${error.message} (${error.hint})`;
  setCondition(object, { type, status: 'False', reason, message }, now);
}
