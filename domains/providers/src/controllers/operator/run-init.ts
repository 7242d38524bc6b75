import { firstErrorIn, isError, toError } from '@chandlery/api';
import { findCondition, type StepContext, type StepResult } from '@chandlery/runtime';
import type { Provider } from '../../kinds/index.ts';
import { buildInitJob } from '../../model/operator/init-job.ts';
import { type InitState, isFailureShown, pauseBeforeRetryMs, readInit } from '../../model/operator/init-state.ts';
import { logTail } from '../../model/operator/log-tail.ts';
import { resourcesOf } from '../../model/operator/own-kinds.ts';
import { namesOf } from '../../model/operator/provider-names.ts';
import type { OperatorDeps } from './operator-deps.ts';
import { isNewReason, reportInit } from './report.ts';

/**
 * Runs init once for each generation, and continues when it has succeeded. A failure stays visible while init is
 * retried: on request, when the provider changes, and after increasing intervals.
 */
export async function runInit(provider: Provider, deps: OperatorDeps, { now }: StepContext): Promise<StepResult> {
  if (!deps.runsPods) return initElsewhere(provider, now);
  const state = readInit(provider, deps.findJob(provider), now);
  switch (state.type) {
    case 'absent':
      return start(provider, deps, now);
    case 'leaving':
      return pending(provider, now);
    case 'outdated':
      await deps.removeJob(provider);
      return pending(provider, now);
    case 'running':
      return running(provider, deps, { failures: state.failures, now });
    case 'failed':
      return failed(provider, deps, { state, now });
    case 'succeeded':
      return succeeded(provider, deps, now);
  }
}

/** Where nothing runs pods, init is run by hand; its reported kinds show that it has completed. */
function initElsewhere(provider: Provider, now: Date): StepResult {
  if (resourcesOf(provider).length > 0) {
    const message = 'Init was run outside of the landscape, which runs no pods.';
    reportInit(provider, { status: 'True', reason: 'InitializedElsewhere', message }, now);
    return 'continue';
  }
  const message =
    'Local clusters are off, so nothing here runs the init job. Run the provider\'s "init" and "run" elsewhere; docs/providers-outside.md shows how.';
  reportInit(provider, { status: 'False', reason: 'NoNode', message }, now);
  return 'stop';
}

async function start(provider: Provider, deps: OperatorDeps, now: Date): Promise<StepResult> {
  const job = buildInitJob(deps.providerClass, provider, deps.environment);
  try {
    await deps.createJob(provider, job);
  } catch (thrown) {
    const message = `The init job cannot be created: ${toError(thrown).message}`;
    if (!isError(thrown, 'Conflict')) {
      reportInit(provider, { status: 'False', reason: 'InitJobCreationFailed', message }, now);
    }
    throw thrown;
  }
  const message = `Init of ${provider.spec.image} runs as job ${job.metadata.name}.`;
  deps.record(provider, { type: 'Normal', reason: 'InitStarted', message });
  return running(provider, deps, { failures: 0, now });
}

/** The previous job still exists. */
function pending(provider: Provider, now: Date): StepResult {
  if (isFailureShown(provider)) return 'stop';
  const message = 'Init begins when the previous init job is deleted.';
  reportInit(provider, { status: 'Unknown', reason: 'InitPending', message }, now);
  return 'stop';
}

async function running(
  provider: Provider,
  deps: OperatorDeps,
  { failures, now }: { readonly failures: number; readonly now: Date },
): Promise<StepResult> {
  if (isFailureShown(provider)) return 'stop';
  if (failures === 0) {
    const obstacle = deps.findInitObstacle(provider);
    const state = obstacle === undefined ? 'is running' : `cannot begin: ${obstacle}`;
    const message = `Init ${state}; see job ${jobName(provider, deps)}.`;
    reportInit(provider, { status: 'False', reason: 'InitRunning', message }, now);
    return 'stop';
  }
  const message = failureText(
    'Init failed and is tried again',
    jobName(provider, deps),
    await deps.readInitLog(provider),
  );
  reportInit(provider, { status: 'False', reason: 'InitFailed', message }, now);
  deps.record(provider, { type: 'Warning', reason: 'InitFailed', message });
  return 'stop';
}

async function failed(
  provider: Provider,
  deps: OperatorDeps,
  { state, now }: { readonly state: Extract<InitState, { type: 'failed' }>; readonly now: Date },
): Promise<StepResult> {
  const isShown = isFailureShown(provider);
  const log = await deps.readInitLog(provider);
  const text = failureText(`Init failed (${state.because})`, jobName(provider, deps), log);
  // The log of a deleted pod is kept as it was shown.
  const shown = findCondition(provider, 'Initialized')?.message;
  const message = isShown && isEmpty(log) && shown ? shown : text;
  const retryAfterMs = pauseBeforeRetryMs(provider, state.failedAt, now);
  reportInit(provider, { status: 'False', reason: 'InitFailed', message }, now);
  if (!isShown) deps.record(provider, { type: 'Warning', reason: 'InitFailed', message });
  if (retryAfterMs > 0) return { retryAfterMs };
  await deps.removeJob(provider);
  return 'stop';
}

function succeeded(provider: Provider, deps: OperatorDeps, now: Date): StepResult {
  if (isNewReason(provider, 'Initialized', 'InitCompleted')) {
    const message = `Init of ${provider.spec.image} is complete.`;
    deps.record(provider, { type: 'Normal', reason: 'InitCompleted', message });
  }
  reportInit(provider, { status: 'True', reason: 'InitCompleted' }, now);
  return 'continue';
}

const isEmpty = (log: string | undefined): boolean => log === undefined || log.trim() === '';

/** The first error in the log says more than its end; where none is found, the end is shown. */
function failureText(what: string, job: string, log = ''): string {
  if (isEmpty(log)) return `${what}; see job ${job}, whose log cannot be read.`;
  const error = firstErrorIn(log);
  return error === undefined
    ? `${what}; see job ${job}, whose log ends with:\n${logTail(log)}`
    : `${what}: ${error.replace(/\.$/, '')}; see the log of job ${job}.`;
}

const jobName = ({ metadata }: Provider, { providerClass }: OperatorDeps): string =>
  namesOf(providerClass, metadata.name ?? '').init;
