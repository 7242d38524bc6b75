import { formatTime, parseDurationMs } from '@chandlery/api';
import { findCondition, isConditionTrue, type StepResult, setCondition } from '@chandlery/runtime';
import { externalNameOf } from '../../model/names.ts';
import { allowsOf, type Pass, statusOf } from '../pass.ts';

const defaultPollMs = 60_000;

/** Says whether the service can be used, and when to look again. */
export function reportReady(pass: Pass): StepResult {
  const { object, step, report, observation } = pass;
  const problem = report?.isReady === false ? objectsProblem(pass) : (sharedProblem(pass) ?? worldProblem(pass));
  const wasReady = isConditionTrue(object, 'Ready');
  if (problem === undefined) {
    setCondition(object, { type: 'Ready', status: 'True', reason: 'ReconcileSuccess' }, step.now);
    noteFulfilled(pass);
    if (!wasReady) noteFirstReady(pass);
  } else {
    setCondition(object, { type: 'Ready', status: 'False', ...problem }, step.now);
  }
  const waits = [report?.lookAgainAfterMs, observation && pollMs(pass)].filter(wait => wait !== undefined);
  return waits.length === 0 ? 'continue' : { retryAfterMs: Math.min(...waits) };
}

interface Problem {
  readonly reason: string;
  readonly message: string;
}

function objectsProblem({ report }: Pass): Problem {
  const { reason = 'Progressing', message = '' } = report ?? {};
  return { reason: reason === 'Ready' || reason === 'Progressing' ? 'Reconciling' : reason, message };
}

/** A service is not healthy while what all tenants share is not; the status of the provider's own configuration tells how that is. */
function sharedProblem({ needs }: Pass): Problem | undefined {
  const config = needs.definition.shared && needs.configs.get(undefined, needs.provider);
  if (config === undefined || isConditionTrue(config, 'Ready')) return undefined;
  const why = findCondition(config, 'Ready')?.message ?? 'it is being prepared.';
  return { reason: 'SharedServiceNotReady', message: `What all tenants of the service share is not ready: ${why}` };
}

function worldProblem(pass: Pass): Problem | undefined {
  const { observation, needs, object } = pass;
  if (observation === undefined || needs.definition.service.observe === undefined) return undefined;
  const { exists, isReady, differences, message } = observation;
  const mayUpdate = allowsOf(pass).has('Update');
  if (exists && isReady && (differences.length === 0 || !mayUpdate)) return undefined;
  if (!exists && !allowsOf(pass).has('Create')) {
    const name = externalNameOf(object);
    return {
      reason: 'Missing',
      message: `The service "${name}" does not exist, and managementPolicies do not let it be created.`,
    };
  }
  const text = message ?? (differences.length > 0 ? differences.join(' ') : 'The service is being prepared.');
  return { reason: 'Reconciling', message: text };
}

/** Undefined: changes are told by watches. */
function pollMs({ needs, observation, config }: Pass): number | undefined {
  if (observation?.lookAgainAfterMs !== undefined) return observation.lookAgainAfterMs;
  if (needs.definition.service.observe === undefined) return undefined;
  return parseDurationMs(config?.spec.pollInterval ?? '') ?? defaultPollMs;
}

/** Remembers the wish: what differs from it from now on, somebody else has changed. */
function noteFulfilled(pass: Pass): void {
  const { generation } = pass.object.metadata;
  if (generation !== undefined) statusOf(pass).fulfilledGeneration = generation;
}

function noteFirstReady(pass: Pass): void {
  const { object, step, needs } = pass;
  const status = statusOf(pass);
  if (status.firstReadyTime !== undefined) return;
  status.firstReadyTime = formatTime(step.now);
  const createdMs = Date.parse(object.metadata.creationTimestamp ?? '');
  if (!Number.isNaN(createdMs)) needs.metrics.firstReady.with({}).observe((step.now.getTime() - createdMs) / 1000);
}
