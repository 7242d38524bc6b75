import { commitAnew } from '@chandlery/registry';
import type { WorkResult } from '@chandlery/runtime';
import { type SmError, smError } from '../../errors.ts';
import { endOperation } from '../../model/operations/operation-end.ts';
import { isFromKubernetes, isUnderMitigation } from '../../model/operations/operation-state.ts';
import { acceptOperation, continueMitigation, giveUpMitigation } from '../../model/operations/operation-writes.ts';
import { nextMitigationMs, pollDelayMs, pollingEndsAtMs } from '../../model/operations/retry-delays.ts';
import type { OsbOutcome } from '../../model/outcomes/osb-outcome.ts';
import type { OperationRow, RegistryWrite } from '../../model/rows.ts';
import { deleteAtBroker } from './broker-calls.ts';
import { pollDeletion } from './broker-polls.ts';
import type { EngineDeps } from './engine-deps.ts';
import { findTarget, type Target } from './find-target.ts';
import { goneWrites, removalWrites, resourceOf, rowRemoval } from './operation-resource.ts';

/** Asks the broker once more to delete what a failed operation may have left, or how far it is with that. */
export async function mitigate(deps: EngineDeps, operation: OperationRow): Promise<WorkResult> {
  const target = findTarget(deps.registry, operation);
  const outcome = await cleanUp(deps, operation, target);
  switch (outcome.type) {
    case 'succeeded':
      return cleaned(deps, operation);
    case 'accepted':
      await commitFor(deps, operation, fresh => [
        acceptOperation(fresh, { externalId: outcome.operation, now: deps.clock.now() }),
      ]);
      return { requeueAfterMs: pollDelayMs(outcome.retryAfterSeconds, deps.settings) };
    case 'in progress':
      return stillGoing(deps, operation, { target, retryAfterSeconds: outcome.retryAfterSeconds });
    case 'retry':
    case 'failed':
      return inVain(deps, operation, outcome.error);
  }
}

function cleanUp(deps: EngineDeps, operation: OperationRow, target: Target): Promise<OsbOutcome> | OsbOutcome {
  switch (target.type) {
    case 'gone':
    case 'local':
      return { type: 'succeeded', body: {} };
    case 'broken':
      return { type: 'failed', error: target.error, mitigate: true };
    case 'found':
      if (operation.status.reschedule === true) return pollDeletion(deps, operation, target);
      return deleteAtBroker(deps, operation, target);
  }
}

/** The broker has nothing any more. A creation has failed all the same; a deletion has succeeded after all. */
async function cleaned(deps: EngineDeps, operation: OperationRow): Promise<WorkResult> {
  await commitFor(deps, operation, fresh => cleanedWrites(deps, fresh));
  return 'done';
}

function cleanedWrites({ registry }: EngineDeps, operation: OperationRow): RegistryWrite[] {
  const resource = resourceOf(registry, operation);
  if (operation.spec.type === 'delete') {
    return resource === undefined ? goneWrites(registry, operation) : removalWrites(registry, { operation, resource });
  }
  // What was asked for by an object of the Kubernetes API stays asked for.
  if (resource === undefined || isFromKubernetes(operation)) return endOperation(operation, {});
  return [...rowRemoval(resource), ...endOperation(operation, {})];
}

async function stillGoing(
  deps: EngineDeps,
  operation: OperationRow,
  facts: { readonly target: Target; readonly retryAfterSeconds: number | undefined },
): Promise<WorkResult> {
  const { clock, settings } = deps;
  const plan = facts.target.type === 'found' ? facts.target.known.plan : undefined;
  if (clock.now().getTime() < pollingEndsAtMs(operation, plan, settings)) {
    return { requeueAfterMs: pollDelayMs(facts.retryAfterSeconds, settings) };
  }
  return inVain(deps, operation, smError('BrokerError', 'the broker did not finish the deletion'));
}

async function inVain(deps: EngineDeps, operation: OperationRow, error: SmError): Promise<WorkResult> {
  const now = deps.clock.now().getTime();
  const delayMs = nextMitigationMs(operation, now, deps.settings);
  if (delayMs === undefined) {
    deps.logger.error('gave up deleting what a failed operation left at its broker', { operation: operation.id });
    await commitFor(deps, operation, fresh => giveUpMitigation(fresh, error));
    return 'done';
  }
  const waitMs = Math.max(delayMs, (error.facts.retryAfterSeconds ?? 0) * 1000);
  await commitFor(deps, operation, fresh => [continueMitigation(fresh, new Date(now + waitMs))]);
  return { requeueAfterMs: waitMs };
}

function commitFor(
  { registry }: EngineDeps,
  { id }: OperationRow,
  decide: (fresh: OperationRow) => readonly RegistryWrite[],
): Promise<void> {
  return commitAnew(registry, () => {
    const fresh = registry.operations.get(id);
    return fresh !== undefined && isUnderMitigation(fresh) ? decide(fresh) : [];
  });
}
