import { isConditionTrue, type StepResult, setCondition } from '@chandlery/runtime';
import type { AccessWish } from '../../model/access-wishes.ts';
import type { ClusterRole } from '../../objects/cluster-connection.ts';
import type { Pass, ReconcileNeeds, Stage } from '../pass.ts';
import { findRetained } from '../retention.ts';
import { reportWaiting } from '../run-stages.ts';
import { wishesOf } from './obtain-access.ts';

/** The condition that tells that nothing is left on clusters. */
export const cleared = 'ContentRemoved';

/**
 * Leaves a stage out once the service is gone. Stored in the status before access is given back: after a restart, nobody
 * asks for access again just to find nothing.
 */
export const untilCleared =
  (stage: Stage): Stage =>
  pass =>
    isConditionTrue(pass.object, cleared) ? 'continue' : stage(pass);

/** An object that was never served has nothing, and goes even if there never was a configuration. */
export function skipNeverServed({ object, needs, step }: Pass): StepResult {
  const { resources = [], configGeneration } = object.status ?? {};
  const isNeverServed = resources.length === 0 && configGeneration === undefined;
  if (isNeverServed && needs.guard.configOf(object) === undefined)
    setCondition(object, { type: cleared, status: 'True', reason: 'NeverServed' }, step.now);
  return 'continue';
}

/** Writes down that nothing is left on the clusters. */
export function markCleared(pass: Pass): StepResult {
  const { object, step } = pass;
  setCondition(object, { type: cleared, status: 'True', reason: 'NothingLeft' }, step.now);
  reportWaiting(pass, 'Giving back access to clusters.');
  return { retryAfterMs: 0 };
}

/**
 * Gives back what only this object had; the end of the requests wakes the object. What a retained service needs, of this
 * object or of an earlier one that it has not taken over, is handed over to it.
 */
export async function giveBackAccess(pass: Pass): Promise<StepResult> {
  const { needs, step } = pass;
  const isRetained = (await findRetained(pass)) !== undefined;
  const left: string[] = [];
  for (const [role, wish] of wishesOf(pass)) {
    await forgetCluster(needs, { key: step.key, role, wish }, step.signal);
    if (wish.object === undefined) continue;
    needs.managed.forget(`${wish.place.namespace}/${wish.place.name}`);
    if (isRetained) {
      await needs.access.handOver(wish, step.signal);
      continue;
    }
    const rest = await needs.access.release(wish, step.signal);
    if (rest !== undefined) left.push(rest);
  }
  if (left.length === 0) return 'continue';
  reportWaiting(pass, `Waiting for the end of ${left.sort().join(', ')}.`);
  return 'stop';
}

/** Drops the record of a cluster that was cleared, and of clusters that are gone. Others stay, for the sweep. */
export async function forgetCluster(
  { access, records }: Pick<ReconcileNeeds, 'access' | 'records'>,
  { key, role, wish }: { readonly key: string; readonly role: ClusterRole; readonly wish: AccessWish },
  signal: AbortSignal,
): Promise<void> {
  const known = records.of(key).filter(({ spec }) => spec.role === role);
  if (known.length === 0) return;
  const current = await access.clusterOf(wish, signal);
  for (const record of known) {
    const { namespace, name } = record.spec.cluster;
    const isCleared = current?.namespace === namespace && current.name === name;
    if (isCleared || !(await access.hasCluster({ namespace, name }, signal))) await records.forget(record, signal);
  }
}

/** The last object lets the configuration go. */
export async function giveBackConfig({ needs, object, step }: Pass): Promise<StepResult> {
  await needs.guard.releaseAfter(object, step.signal);
  const sinceMs = Date.parse(object.metadata.deletionTimestamp ?? '');
  if (!Number.isNaN(sinceMs)) needs.metrics.deletion.with({}).observe(Math.max(0, step.now.getTime() - sinceMs) / 1000);
  return 'continue';
}
