import type { JsonObject } from '@chandlery/api';
import type { WorkResult } from '@chandlery/runtime';
import { SmError, smError } from '../../errors.ts';
import { credentialsSecretOf } from '../../model/operations/binding-credentials.ts';
import { concernsBroker, instanceContext, nameOf } from '../../model/operations/broker-requests.ts';
import { decideNextStep } from '../../model/operations/next-step.ts';
import { changeOf } from '../../model/operations/operation-end.ts';
import { isOpen } from '../../model/operations/operation-state.ts';
import type { OsbOutcome } from '../../model/outcomes/osb-outcome.ts';
import type { OperationRow } from '../../model/rows.ts';
import { countBindings } from '../../model/sharing/rows-of-instance.ts';
import { sendToBroker } from './broker-calls.ts';
import { pollBroker } from './broker-polls.ts';
import { commitNextStep } from './commit-next-step.ts';
import type { EngineDeps } from './engine-deps.ts';
import { executeLocally } from './execute-locally.ts';
import { type BrokerResource, findTarget, type Target } from './find-target.ts';
import type { Sent } from './next-step-writes.ts';
import { readParameters } from './read-parameters.ts';

/** Takes an operation on an instance or a binding one answer further. */
export async function executeOperation(deps: EngineDeps, operation: OperationRow): Promise<WorkResult> {
  const target = findTarget(deps.registry, operation);
  if (target.type === 'gone' || target.type === 'local') return executeLocally(deps, operation, target);
  const { outcome, sent } = await outcomeOf(deps, operation, target);
  const { registry, clock, settings } = deps;
  const step = decideNextStep({
    operation,
    outcome,
    plan: target.type === 'found' ? target.known.plan : undefined,
    isInherited: deps.isInherited(operation),
    isSuperseded: isSuperseded(deps, operation),
    nowMs: clock.now().getTime(),
    settings,
  });
  const result = await commitNextStep(deps, operation.id, { step, sent });
  if (step.type === 'fail') logFailure(deps, registry.operations.get(operation.id) ?? operation);
  return result;
}

interface Result {
  readonly outcome: OsbOutcome;
  readonly sent: Sent;
}

async function outcomeOf(
  deps: EngineDeps,
  operation: OperationRow,
  target: Exclude<Target, { type: 'gone' | 'local' }>,
): Promise<Result> {
  if (target.type === 'broken') return { outcome: rejected(target.error), sent: nothingSent };
  try {
    const parameters = await readParameters(deps.registry, operation, target.row);
    const sent = sentOf(operation, target, parameters);
    return { outcome: await askBroker(deps, operation, { target, sent }), sent };
  } catch (error) {
    if (!(error instanceof SmError)) throw error;
    return { outcome: rejected(error), sent: nothingSent };
  }
}

/** Polls if the broker works on it, calls otherwise; a change that is none of its business is done at once. */
async function askBroker(
  deps: EngineDeps,
  operation: OperationRow,
  { target, sent }: { readonly target: BrokerResource; readonly sent: Sent },
): Promise<OsbOutcome> {
  const { type } = operation.spec;
  if (operation.status.reschedule === true) return pollBroker(deps, operation, target);
  if (type === 'update' && !concernsBroker(changeOf(operation), target.known.offering)) return doneAtOnce;
  if (type === 'create') await checkSecretName(deps, target);
  if (type === 'delete') checkNoBindings(deps, operation, target);
  return sendToBroker(deps, operation, { target, sent });
}

/** A binding may have been made at the very moment of the deletion; a cascade has its own way with them. */
function checkNoBindings({ registry }: EngineDeps, { spec }: OperationRow, { binding, row }: BrokerResource): void {
  if (binding !== undefined || spec.cascadeRootId !== undefined) return;
  const count = countBindings(registry, row);
  if (count > 0) throw smError('BadRequest', `could not delete instance due to ${count} existing bindings`);
}

/** Rejects a secret name that is taken: the Secret of another owner is never overwritten. */
async function checkSecretName({ registry }: EngineDeps, { binding }: BrokerResource): Promise<void> {
  if (binding?.spec.secretName === undefined) return;
  const name = credentialsSecretOf(binding);
  if ((await registry.readSecret(binding.tenant, name)) === undefined) return;
  throw smError('Conflict', `the Secret "${name}" is there already`, { field: 'secretName' });
}

function sentOf(operation: OperationRow, target: BrokerResource, parameters: JsonObject | undefined): Sent {
  const { instance, plan } = target.known;
  const { name } = changeOf(operation);
  return {
    planId: plan.id,
    context: instanceContext(instance, name),
    parameters,
    brokerName: nameOf(target.broker),
  };
}

function isSuperseded({ registry }: EngineDeps, { id, spec }: OperationRow): boolean {
  if (spec.type === 'delete') return false;
  for (const other of registry.operations.by('resourceId', spec.resourceId)) {
    if (other.id !== id && other.spec.type === 'delete' && isOpen(other)) return true;
  }
  return false;
}

function logFailure({ logger }: EngineDeps, { id, spec, status }: OperationRow): void {
  const { error, broker_status } = (status.errors ?? {}) as JsonObject;
  logger.warn(`the ${spec.type} of ${spec.resourceType}/${spec.resourceId} failed`, {
    operation: id,
    correlationId: spec.correlationId,
    error,
    brokerStatus: broker_status,
    isMitigated: status.deletionScheduledAt !== undefined,
  });
}

const rejected = (error: SmError): OsbOutcome => ({ type: 'failed', error, mitigate: false });

const doneAtOnce: OsbOutcome = { type: 'succeeded', body: {} };

const nothingSent: Sent = { planId: '', context: {}, parameters: undefined, brokerName: '' };
