import { isError } from '@chandlery/api';
import { classifyError, type StepResult } from '@chandlery/runtime';
import { desiredOf } from '../../model/wishes.ts';
import type { Desired } from '../../objects/managed-objects.ts';
import { policyOf } from '../deletion-policy.ts';
import { contextOf, ownerOf, type Pass } from '../pass.ts';
import { writeReceipt } from '../receipts.ts';
import { recordChange } from '../record-changes.ts';
import { retain } from '../retention.ts';
import { reportWaiting } from '../run-stages.ts';
import { releaseConnection } from './publish-connection.ts';

/** Watches tell when things are gone; this is for what they cannot see. */
const removalCheckMs = 5000;

/** Ends carrying objects: copies go, or stay without our marks. */
export async function disengageSyncer(pass: Pass): Promise<StepResult> {
  const { needs, step, connections } = pass;
  if (needs.syncer === undefined) return 'continue';
  const resume = { owner: ownerOf(pass), connections, context: contextOf(pass) };
  const report = await needs.syncer.disengage(step.key, step.signal, { policy: policyOf(pass), resume });
  if (report.isClean) return 'continue';
  reportWaiting(pass, report.message);
  return { retryAfterMs: removalCheckMs };
}

/** Takes the service away, or lets it go, beyond the clusters and on them. */
export const endService = (pass: Pass): Promise<StepResult> =>
  policyOf(pass) === 'Orphan' ? letGo(pass) : takeAway(pass);

async function takeAway(pass: Pass): Promise<StepResult> {
  const { needs, object, step, connections } = pass;
  const { service } = needs.definition;
  const waiting = await unlessClusterGone(pass, async () => service.delete?.(object, contextOf(pass)));
  if (waiting) {
    reportWaiting(pass, waiting.message);
    return { retryAfterMs: waiting.retryAfterMs };
  }
  const report = await needs.managed.remove(ownerOf(pass), connections, lastDesired(pass), step.signal);
  if (!report.isGone) {
    reportWaiting(pass, report.message);
    return { retryAfterMs: removalCheckMs };
  }
  recordChange(pass, 'delete', `${object.kind} "${object.metadata.name}" and all that it stood for.`);
  return 'continue';
}

async function letGo(pass: Pass): Promise<StepResult> {
  const { needs, object, step, connections } = pass;
  const { service } = needs.definition;
  const desired = lastDesired(pass);
  const notes = (await unlessClusterGone(pass, async () => service.release?.(object, contextOf(pass)))) ?? [];
  const found = await needs.managed.survey(ownerOf(pass), connections, desired, step.signal);
  const retained = await retain(pass, found);
  const hasSecret = await releaseConnection(pass, retained);
  // First the receipt: what has been let go cannot be found any more.
  const secretNote = hasSecret ? ['The Secret with the connection, in this namespace'] : [];
  await writeReceipt(pass, [...notes, ...secretNote], retained);
  await needs.managed.release(ownerOf(pass), connections, desired, step.signal);
  recordChange(pass, 'update', `${object.kind} "${object.metadata.name}" was let go; its receipt tells what stays.`);
  return 'continue';
}

/** What there may be. A wish that cannot be fulfilled has nothing of its own; the rest is found by its marks. */
function lastDesired(pass: Pass): readonly Desired[] {
  try {
    return desiredOf(pass.needs.definition, pass.object, contextOf(pass));
  } catch (error) {
    if (classifyError(error) === 'terminal' || isError(error, 'ClusterUnavailable')) return [];
    throw error;
  }
}

/** A cluster that is gone took all that was on it along: nobody must wait for it. */
async function unlessClusterGone<R>(pass: Pass, call: () => Promise<R>): Promise<R | undefined> {
  try {
    return await call();
  } catch (error) {
    if (!isError(error, 'ClusterUnavailable')) throw error;
    pass.step.logger.warn('a cluster is gone; what the service had on it cannot be cleaned up', { error });
    return undefined;
  }
}
