import { isError, toError } from '@chandlery/api';
import {
  classifyError,
  findCondition,
  isConditionTrue,
  isDeleting,
  runSteps,
  type StepResult,
  setCondition,
} from '@chandlery/runtime';
import { phaseOf } from '../model/phase.ts';
import { type ReconcileScope, type ServiceStep, statusOf } from './reconcile-scope.ts';

/** Runs steps for an object that no controller reconciles, and reports as a controller does. */
export async function runServiceSteps(steps: readonly ServiceStep[], scope: ReconcileScope): Promise<StepResult> {
  try {
    const result = await runSteps(steps, scope.object, { needs: scope, tracer: scope.deps.tracer }, scope.step);
    await reportEnd(scope, undefined);
    return result;
  } catch (thrown) {
    await reportEnd(scope, thrown);
    throw thrown;
  }
}

/** Reports a failure of the steps in `Ready`, and how far the object is in `phase`. */
export async function reportEnd(scope: ReconcileScope, thrown: unknown): Promise<void> {
  try {
    if (isError(thrown, 'Unauthorized')) await renewCredentials(scope);
  } finally {
    if (thrown !== undefined) reportFailure(scope, thrown);
    const status = statusOf(scope);
    status.phase = phaseOf(scope.object, thrown === undefined);
    const reason = failureReasonOf(thrown) ?? findCondition(scope.object, 'Ready')?.reason;
    if (reason !== undefined) status.reason = reason;
  }
}

/** Reads the stored credentials again, which may have been replaced before they expired. */
async function renewCredentials({ deps, connections }: ReconcileScope): Promise<void> {
  for (const { id } of Object.values(connections)) await deps.access.renew(id);
}

/** Reports in `Ready` what is waited for. */
export function reportWaiting({ object, step }: ReconcileScope, message: string): void {
  const reason = isDeleting(object) ? 'Terminating' : 'Reconciling';
  setCondition(object, { type: 'Ready', status: 'False', reason, message }, step.now);
}

/** Reports a failure. A transient one leaves a ready service ready: only `Synced` shows it. */
function reportFailure({ object, step, deps }: ReconcileScope, thrown: unknown): void {
  const kind = classifyError(thrown);
  if (kind === 'conflict' || step.signal.aborted) return;
  const { message: text, hint } = toError(thrown);
  const message = hint === undefined ? text : `${text} (${hint})`;
  const reason = failureReasonOf(thrown) ?? 'ReconcileError';
  deps.recorder.record(object, { type: 'Warning', reason, message });
  const isStillReady = kind === 'transient' && isReadyForThis(object);
  if (!isStillReady) setCondition(object, { type: 'Ready', status: 'False', reason, message }, step.now);
}

/** Undefined for what is no failure. */
function failureReasonOf(thrown: unknown): 'UserError' | 'ReconcileError' | undefined {
  if (thrown === undefined) return undefined;
  const kind = classifyError(thrown);
  if (kind === 'conflict') return undefined;
  return kind === 'terminal' ? 'UserError' : 'ReconcileError';
}

const isReadyForThis = (object: ReconcileScope['object']): boolean =>
  isConditionTrue(object, 'Ready') &&
  !isDeleting(object) &&
  object.status?.observedGeneration === object.metadata.generation;
