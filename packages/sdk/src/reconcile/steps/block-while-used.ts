import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { isConditionTrue, type StepResult, setCondition } from '@chandlery/runtime';
import type { BlockingKind } from '../../definition/provider-definition.ts';
import { type BlockingCount, blockingKindsOf, describeBlockers } from '../../model/blockers.ts';
import { policyOf } from '../deletion-policy.ts';
import type { Pass } from '../pass.ts';
import { reportWaiting } from '../run-stages.ts';

/** Keeps the service while the tenant's own objects need it; their deletion wakes the object. */
export async function refuseWhileUsed(pass: Pass): Promise<StepResult> {
  const { object, needs, step, connections } = pass;
  const counts = policyOf(pass) === 'Orphan' || !connections.mcp ? [] : await countAll(pass, connections.mcp.client);
  if (counts.length === 0 || connections.mcp === undefined) return unblock(pass);
  const message = describeBlockers(counts);
  const reason = 'UserResourcesPresent';
  if (!isConditionTrue(object, 'DeletionBlocked')) needs.recorder.record(object, { type: 'Warning', reason, message });
  setCondition(object, { type: 'DeletionBlocked', status: 'True', reason, message }, step.now);
  reportWaiting(pass, message);
  needs.blockers.start(
    step.key,
    connections.mcp.client,
    counts.map(({ kind }) => kind),
  );
  return 'stop';
}

async function unblock({ object, needs, step }: Pass): Promise<StepResult> {
  await needs.blockers.stop(step.key);
  if (isConditionTrue(object, 'DeletionBlocked'))
    setCondition(object, { type: 'DeletionBlocked', status: 'False', reason: 'NoUserResources' }, step.now);
  return 'continue';
}

async function countAll({ needs, step }: Pass, client: Client): Promise<readonly BlockingCount[]> {
  const counts: BlockingCount[] = [];
  for (const kind of blockingKindsOf(needs.definition)) {
    const count = await countOf(client, kind, step.signal);
    if (count > 0) counts.push({ kind, count });
  }
  return counts;
}

async function countOf(client: Client, { group, version, plural }: BlockingKind, signal: AbortSignal): Promise<number> {
  try {
    let count = 0;
    for await (const _ of client.listAll({ group, version, plural }, { limit: 500, signal })) count += 1;
    return count;
  } catch (error) {
    // A kind that is not served has no objects.
    if (isError(error, 'NotFound')) return 0;
    throw error;
  }
}
