import { isError, toError } from '@chandlery/api';
import { classifyError, isConditionTrue, isDeleting, type StepResult, setCondition } from '@chandlery/runtime';
import { phaseOf } from '../model/phase.ts';
import { type Pass, type Stage, statusOf } from './pass.ts';

/** Runs stages in order until one does not say `continue`, and keeps `Ready` and `phase` in step with what happened. */
export async function runStages(stages: readonly Stage[], pass: Pass): Promise<StepResult> {
  let isSynced = false;
  try {
    const result = await untilStopped(stages, pass);
    isSynced = true;
    return result;
  } catch (thrown) {
    if (isError(thrown, 'Unauthorized')) await renewCredentials(pass);
    reportFailure(pass, thrown);
    throw thrown;
  } finally {
    statusOf(pass).phase = phaseOf(pass.object, isSynced);
  }
}

async function untilStopped(stages: readonly Stage[], pass: Pass): Promise<StepResult> {
  for (const stage of stages) {
    pass.step.signal.throwIfAborted();
    const result = await stage(pass);
    if (result !== 'continue') return result;
  }
  return 'continue';
}

/** Credentials may have been replaced before their time: what is stored now is read again. */
async function renewCredentials({ needs, connections }: Pass): Promise<void> {
  for (const { id } of Object.values(connections)) await needs.access.renew(id);
}

/** Says in `Ready` that something is under way. */
export function reportWaiting({ object, step }: Pass, message: string): void {
  const reason = isDeleting(object) ? 'Terminating' : 'Reconciling';
  setCondition(object, { type: 'Ready', status: 'False', reason, message }, step.now);
}

/** A failure that may pass does not unmake a service that works: only `Synced` tells of it. */
function reportFailure({ object, step, needs }: Pass, thrown: unknown): void {
  const kind = classifyError(thrown);
  if (kind === 'conflict' || step.signal.aborted) return;
  const { message: text, hint } = toError(thrown);
  const message = hint === undefined ? text : `${text} (${hint})`;
  const reason = kind === 'terminal' ? 'UserError' : 'ReconcileError';
  needs.recorder.record(object, { type: 'Warning', reason, message });
  const isStillReady = kind === 'transient' && isReadyForThis(object);
  if (!isStillReady) setCondition(object, { type: 'Ready', status: 'False', reason, message }, step.now);
}

const isReadyForThis = (object: Pass['object']): boolean =>
  isConditionTrue(object, 'Ready') &&
  !isDeleting(object) &&
  object.status?.observedGeneration === object.metadata.generation;
