import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { isConditionTrue, type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { BlockingKind } from '../../definition/provider-definition.ts';
import type { ServiceObject } from '../../definition/service-kind.ts';
import { type BlockingCount, blockingKindsOf, describeBlockers } from '../../model/blockers.ts';
import { policyOf } from '../deletion-policy.ts';
import type { ReconcileScope } from '../reconcile-scope.ts';
import { reportWaiting } from '../run-service-steps.ts';

/** Blocks the deletion while objects of the tenant need the service; their deletion enqueues the object. */
export async function blockWhileUsed(
  object: ServiceObject,
  scope: ReconcileScope,
  step: StepContext,
): Promise<StepResult> {
  const { deps, connections } = scope;
  const counts = policyOf(scope) === 'Orphan' || !connections.mcp ? [] : await countAll(scope, connections.mcp.client);
  if (counts.length === 0 || connections.mcp === undefined) return unblock(scope);
  const message = describeBlockers(counts);
  const reason = 'UserResourcesPresent';
  if (!isConditionTrue(object, 'DeletionBlocked')) deps.recorder.record(object, { type: 'Warning', reason, message });
  setCondition(object, { type: 'DeletionBlocked', status: 'True', reason, message }, step.now);
  reportWaiting(scope, message);
  deps.blockers.start(
    step.key,
    connections.mcp.client,
    counts.map(({ kind }) => kind),
  );
  return 'stop';
}

async function unblock({ object, deps, step }: ReconcileScope): Promise<StepResult> {
  await deps.blockers.stop(step.key);
  if (isConditionTrue(object, 'DeletionBlocked'))
    setCondition(object, { type: 'DeletionBlocked', status: 'False', reason: 'NoUserResources' }, step.now);
  return 'continue';
}

async function countAll({ deps, step }: ReconcileScope, client: Client): Promise<readonly BlockingCount[]> {
  const counts: BlockingCount[] = [];
  for (const kind of blockingKindsOf(deps.definition)) {
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
