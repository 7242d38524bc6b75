import { isConditionTrue, type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { ServiceObject } from '../../definition/service-kind.ts';
import type { AccessRequirement } from '../../model/access-requirements.ts';
import type { ClusterRole } from '../../objects/cluster-connection.ts';
import type { ReconcileDeps, ReconcileScope, ServiceStep } from '../reconcile-scope.ts';
import { findRetained } from '../retention.ts';
import { reportWaiting } from '../run-service-steps.ts';
import { requirementsOf } from './obtain-access.ts';

/** The condition that is true when nothing of the service is left on clusters. */
export const cleared = 'ContentRemoved';

/**
 * Skips a step once the content is removed. The condition is stored before access is given back, so that a provider that
 * restarts does not request access again only to find nothing.
 */
export const untilCleared =
  (step: ServiceStep): ServiceStep =>
  (object, scope, context) =>
    isConditionTrue(object, cleared) ? 'continue' : step(object, scope, context);

/** Marks an object that was never served as cleared, so that it can be deleted without a configuration. */
export function skipNeverServed(object: ServiceObject, { deps }: ReconcileScope, step: StepContext): StepResult {
  const { resources = [], configGeneration } = object.status ?? {};
  const isNeverServed = resources.length === 0 && configGeneration === undefined;
  if (isNeverServed && deps.guard.configOf(object) === undefined)
    setCondition(object, { type: cleared, status: 'True', reason: 'NeverServed' }, step.now);
  return 'continue';
}

/** Records that nothing is left on the clusters. */
export function markCleared(object: ServiceObject, scope: ReconcileScope, step: StepContext): StepResult {
  setCondition(object, { type: cleared, status: 'True', reason: 'NothingLeft' }, step.now);
  reportWaiting(scope, 'Giving back access to clusters.');
  return { retryAfterMs: 0 };
}

/**
 * Deletes the requests of this object; their deletion enqueues it. Requests that a retained service needs, of this
 * object or of an earlier one that it has not taken over, are handed over to it.
 */
export async function giveBackAccess(
  _object: ServiceObject,
  scope: ReconcileScope,
  step: StepContext,
): Promise<StepResult> {
  const { deps } = scope;
  const isRetained = (await findRetained(scope)) !== undefined;
  const left: string[] = [];
  for (const [role, requirement] of requirementsOf(scope)) {
    await forgetCluster(deps, { key: step.key, role, requirement }, step.signal);
    if (requirement.object === undefined) continue;
    deps.managed.forget(`${requirement.place.namespace}/${requirement.place.name}`);
    if (isRetained) {
      await deps.access.handOver(requirement, step.signal);
      continue;
    }
    const rest = await deps.access.release(requirement, step.signal);
    if (rest !== undefined) left.push(rest);
  }
  if (left.length === 0) return 'continue';
  reportWaiting(scope, `Waiting for the end of ${left.sort().join(', ')}.`);
  return 'stop';
}

/** Deletes the record of a cluster that was cleared, and of deleted clusters. Other records stay for the sweeper. */
export async function forgetCluster(
  { access, records }: Pick<ReconcileDeps, 'access' | 'records'>,
  {
    key,
    role,
    requirement,
  }: { readonly key: string; readonly role: ClusterRole; readonly requirement: AccessRequirement },
  signal: AbortSignal,
): Promise<void> {
  const known = records.of(key).filter(({ spec }) => spec.role === role);
  if (known.length === 0) return;
  const current = await access.clusterOf(requirement, signal);
  for (const record of known) {
    const { namespace, name } = record.spec.cluster;
    const isCleared = current?.namespace === namespace && current.name === name;
    if (isCleared || !(await access.hasCluster({ namespace, name }, signal))) await records.forget(record, signal);
  }
}

/** Removes the protection of the configuration with its last object. */
export async function giveBackConfig(
  object: ServiceObject,
  { deps }: ReconcileScope,
  step: StepContext,
): Promise<StepResult> {
  await deps.guard.releaseAfter(object, step.signal);
  const sinceMs = Date.parse(object.metadata.deletionTimestamp ?? '');
  if (!Number.isNaN(sinceMs)) deps.metrics.deletion.with({}).observe(Math.max(0, step.now.getTime() - sinceMs) / 1000);
  return 'continue';
}
