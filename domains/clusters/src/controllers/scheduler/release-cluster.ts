import { type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { Cluster } from '../../kinds/cluster.ts';
import type { ClusterRequest } from '../../kinds/cluster-request.ts';
import { decideRelease, decideStrays } from '../../model/scheduling/decide-release.ts';
import type { ReleasePlan } from '../../model/scheduling/plan.ts';
import { isExclusive } from '../../model/scheduling/purpose-rule.ts';
import type { SchedulerDeps } from './scheduler-deps.ts';

/** Requeues at once: each action is decided on the then current state. */
const again: StepResult = { retryAfterMs: 1 };

/** Releases the clusters of a request that is being deleted, and deletes those created for it alone. */
export async function releaseCluster(
  request: ClusterRequest,
  deps: SchedulerDeps,
  context: StepContext,
): Promise<StepResult> {
  const plan = await letGo(request, deps, context.signal, () => decideRelease(request, deps.view));
  switch (plan.type) {
    case 'delete':
    case 'let-go':
      return again;
    case 'wait':
      return wait(request, plan.cluster, context.now);
    case 'done':
      await deps.confirmLetGo(request, context.signal);
      return 'continue';
  }
}

/** Releases clusters that a request holds besides its own. */
export async function releaseStrays(
  request: ClusterRequest,
  deps: SchedulerDeps,
  { signal }: StepContext,
): Promise<StepResult> {
  const plan = await letGo(request, deps, signal, () => decideStrays(request, deps.view));
  return plan.type === 'done' ? 'continue' : again;
}

/** Executes the decision, under the lock of the purpose if the cluster is shared; returns it. */
async function letGo(
  request: ClusterRequest,
  deps: SchedulerDeps,
  signal: AbortSignal,
  decide: () => ReleasePlan,
): Promise<ReleasePlan> {
  const plan = decide();
  if (plan.type === 'done' || plan.type === 'wait') return plan;
  if (isExclusive(plan.cluster)) return carryOut(plan, deps, signal);
  return deps.purposeLocks.run(request.spec.purpose, () => carryOut(decide(), deps, signal));
}

async function carryOut(plan: ReleasePlan, deps: SchedulerDeps, signal: AbortSignal): Promise<ReleasePlan> {
  if (plan.type === 'delete') await deps.deleteCluster(plan.cluster, signal);
  if (plan.type === 'let-go') await deps.writeMetadata(plan.cluster, { finalizers: plan.finalizers }, signal);
  return plan;
}

function wait(request: ClusterRequest, { metadata: { namespace, name } }: Cluster, now: Date): StepResult {
  const message = `Waits until cluster ${namespace}/${name} is deleted; see its conditions.`;
  setCondition(request, { type: 'Ready', status: 'False', reason: 'WaitingForClusterDeletion', message }, now);
  return 'stop';
}
