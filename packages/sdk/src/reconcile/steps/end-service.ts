import { isError } from '@chandlery/api';
import { classifyError, type StepContext, type StepResult } from '@chandlery/runtime';
import type { ServiceObject } from '../../definition/service-kind.ts';
import { desiredOf } from '../../model/desired-objects.ts';
import type { Desired } from '../../objects/managed-objects.ts';
import { policyOf } from '../deletion-policy.ts';
import { writeReceipt } from '../receipts.ts';
import { contextOf, ownerOf, type ReconcileScope } from '../reconcile-scope.ts';
import { recordChange } from '../record-changes.ts';
import { retain } from '../retention.ts';
import { reportWaiting } from '../run-service-steps.ts';
import { releaseConnection } from './publish-connection.ts';

/** How often to check deletions that no watch reports. */
const removalCheckMs = 5000;

/** Stops syncing: copies are deleted, or stay without our labels. */
export async function disengageSyncer(
  _object: ServiceObject,
  scope: ReconcileScope,
  step: StepContext,
): Promise<StepResult> {
  const { deps, connections } = scope;
  if (deps.syncer === undefined) return 'continue';
  const resume = { owner: ownerOf(scope), connections, context: contextOf(scope) };
  const report = await deps.syncer.disengage(step.key, step.signal, { policy: policyOf(scope), resume });
  if (report.isClean) return 'continue';
  reportWaiting(scope, report.message);
  return { retryAfterMs: removalCheckMs };
}

/** Deletes the service or releases it, the external resource and the objects on clusters. */
export const endService = (_object: ServiceObject, scope: ReconcileScope): Promise<StepResult> =>
  policyOf(scope) === 'Orphan' ? letGo(scope) : takeAway(scope);

async function takeAway(scope: ReconcileScope): Promise<StepResult> {
  const { deps, object, step, connections } = scope;
  const { service } = deps.definition;
  const waiting = await unlessClusterRemoved(scope, async () => service.delete?.(object, contextOf(scope)));
  if (waiting) {
    reportWaiting(scope, waiting.message);
    return { retryAfterMs: waiting.retryAfterMs };
  }
  const report = await deps.managed.remove(ownerOf(scope), connections, lastDesired(scope), step.signal);
  if (!report.isRemoved) {
    reportWaiting(scope, report.message);
    return { retryAfterMs: removalCheckMs };
  }
  recordChange(scope, 'delete', `${object.kind} "${object.metadata.name}" and all that it stood for.`);
  return 'continue';
}

async function letGo(scope: ReconcileScope): Promise<StepResult> {
  const { deps, object, step, connections } = scope;
  const { service } = deps.definition;
  const desired = lastDesired(scope);
  const notes = (await unlessClusterRemoved(scope, async () => service.release?.(object, contextOf(scope)))) ?? [];
  const found = await deps.managed.survey(ownerOf(scope), connections, desired, step.signal);
  const retained = await retain(scope, found);
  const hasSecret = await releaseConnection(scope, retained);
  // The receipt is written first: released objects cannot be found any more.
  const secretNote = hasSecret ? ['The Secret with the connection, in this namespace'] : [];
  await writeReceipt(scope, [...notes, ...secretNote], retained);
  await deps.managed.release(ownerOf(scope), connections, desired, step.signal);
  recordChange(scope, 'update', `${object.kind} "${object.metadata.name}" was released; its receipt lists what stays.`);
  return 'continue';
}

/** The objects that may exist. A spec that cannot be fulfilled has none; others are found by their labels. */
function lastDesired(scope: ReconcileScope): readonly Desired[] {
  try {
    return desiredOf(scope.deps.definition, scope.object, contextOf(scope));
  } catch (error) {
    if (classifyError(error) === 'terminal' || isError(error, 'ClusterUnavailable')) return [];
    throw error;
  }
}

/** Ignores a deleted cluster: everything on it was deleted with it. */
async function unlessClusterRemoved<R>(scope: ReconcileScope, call: () => Promise<R>): Promise<R | undefined> {
  try {
    return await call();
  } catch (error) {
    if (!isError(error, 'ClusterUnavailable')) throw error;
    scope.step.logger.warn('a cluster is deleted; the content of the service on it cannot be cleaned up', { error });
    return undefined;
  }
}
