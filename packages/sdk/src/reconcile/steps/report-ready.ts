import { formatTime, parseDurationMs } from '@chandlery/api';
import { findCondition, isConditionTrue, type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { ServiceObject } from '../../definition/service-kind.ts';
import { externalNameOf } from '../../model/names.ts';
import { allowsOf, type ReconcileScope, statusOf } from '../reconcile-scope.ts';

const defaultPollMs = 60_000;

/** Reports whether the service is ready, and requeues the object. */
export function reportReady(object: ServiceObject, scope: ReconcileScope, step: StepContext): StepResult {
  const { report, observation } = scope;
  const problem = report?.isReady === false ? objectsProblem(scope) : (sharedProblem(scope) ?? externalProblem(scope));
  const wasReady = isConditionTrue(object, 'Ready');
  if (problem === undefined) {
    setCondition(object, { type: 'Ready', status: 'True', reason: 'ReconcileSuccess' }, step.now);
    noteFulfilled(scope);
    if (!wasReady) noteFirstReady(scope);
  } else {
    setCondition(object, { type: 'Ready', status: 'False', ...problem }, step.now);
  }
  const waits = [report?.requeueAfterMs, observation && pollMs(scope)].filter(wait => wait !== undefined);
  return waits.length === 0 ? 'continue' : { retryAfterMs: Math.min(...waits) };
}

interface Problem {
  readonly reason: string;
  readonly message: string;
}

function objectsProblem({ report }: ReconcileScope): Problem {
  const { reason = 'Progressing', message = '' } = report ?? {};
  return { reason: reason === 'Ready' || reason === 'Progressing' ? 'Reconciling' : reason, message };
}

/**
 * A service is not ready while what all tenants share is not; the status of the provider's configuration has the
 * reason.
 */
function sharedProblem({ deps }: ReconcileScope): Problem | undefined {
  const config = deps.definition.shared && deps.configs.get(undefined, deps.provider);
  if (config === undefined || isConditionTrue(config, 'Ready')) return undefined;
  const why = findCondition(config, 'Ready')?.message ?? 'it is being prepared.';
  return { reason: 'SharedServiceNotReady', message: `What all tenants of the service share is not ready: ${why}` };
}

function externalProblem(scope: ReconcileScope): Problem | undefined {
  const { observation, deps, object } = scope;
  if (observation === undefined || deps.definition.service.observe === undefined) return undefined;
  const { exists, isReady, differences, message } = observation;
  const mayUpdate = allowsOf(scope).has('Update');
  if (exists && isReady && (differences.length === 0 || !mayUpdate)) return undefined;
  if (!exists && !allowsOf(scope).has('Create')) {
    const name = externalNameOf(object);
    return {
      reason: 'Missing',
      message: `The service "${name}" does not exist, and managementPolicies do not let it be created.`,
    };
  }
  const text = message ?? (differences.length > 0 ? differences.join(' ') : 'The service is being prepared.');
  return { reason: 'Reconciling', message: text };
}

/** Undefined: watches report all changes. */
function pollMs({ deps, observation, config }: ReconcileScope): number | undefined {
  if (observation?.requeueAfterMs !== undefined) return observation.requeueAfterMs;
  if (deps.definition.service.observe === undefined) return undefined;
  return parseDurationMs(config?.spec.pollInterval ?? '') ?? defaultPollMs;
}

/** Stores the fulfilled generation: later differences from it are drift. */
function noteFulfilled(scope: ReconcileScope): void {
  const { generation } = scope.object.metadata;
  if (generation !== undefined) statusOf(scope).fulfilledGeneration = generation;
}

function noteFirstReady(scope: ReconcileScope): void {
  const { object, step, deps } = scope;
  const status = statusOf(scope);
  if (status.firstReadyTime !== undefined) return;
  status.firstReadyTime = formatTime(step.now);
  const createdMs = Date.parse(object.metadata.creationTimestamp ?? '');
  if (!Number.isNaN(createdMs)) deps.metrics.firstReady.with({}).observe((step.now.getTime() - createdMs) / 1000);
}
