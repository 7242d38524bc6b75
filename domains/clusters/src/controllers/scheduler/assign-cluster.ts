import { type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { Cluster } from '../../kinds/cluster.ts';
import type { ClusterRequest } from '../../kinds/cluster-request.ts';
import { decideRequest } from '../../model/scheduling/decide-request.ts';
import type { Obstacle, Plan } from '../../model/scheduling/plan.ts';
import { isExclusive } from '../../model/scheduling/purpose-rule.ts';
import { findGrantProblem } from '../../model/scheduling/required-capabilities.ts';
import { overtaken } from './cluster-writes.ts';
import type { SchedulerDeps } from './scheduler-deps.ts';

/**
 * Finds or creates the cluster of a request, holds it, and reports it. Decisions about shared clusters of a purpose are
 * serialised, so that each sees the previous one; others are concurrent.
 */
export async function assignCluster(
  request: ClusterRequest,
  deps: SchedulerDeps,
  context: StepContext,
): Promise<StepResult> {
  const decide = (): Plan => decideRequest({ request, config: deps.config(), view: deps.view, chance: deps.chance });
  const plan = decide();
  if (!isShared(plan)) return carryOut(plan, request, deps, context);
  return deps.purposeLocks.run(request.spec.purpose, () => carryOut(decide(), request, deps, context));
}

const isShared = (plan: Plan): boolean =>
  (plan.type === 'hold' || plan.type === 'create') && !isExclusive(plan.cluster);

async function carryOut(
  plan: Plan,
  request: ClusterRequest,
  deps: SchedulerDeps,
  { now, signal }: StepContext,
): Promise<StepResult> {
  switch (plan.type) {
    case 'grant':
      return grant(request, plan.cluster, deps, now);
    case 'hold':
      if (!(await deps.areGone(plan.orphans, signal))) throw overtaken('a request that seemed to be deleted exists');
      await deps.writeMetadata(plan.cluster, plan.metadata, signal);
      return grant(request, plan.cluster, deps, now);
    case 'create':
      await deps.createCluster(plan.cluster, signal);
      return grant(request, plan.cluster, deps, now);
    case 'wait':
      return reject(request, 'Pending', plan, now);
    case 'deny':
      return reject(request, 'Denied', plan, now);
  }
}

/** The request has its cluster; `Ready` also reports missing capabilities. */
function grant(request: ClusterRequest, cluster: Cluster, deps: SchedulerDeps, now: Date): StepResult {
  const { name = '', namespace = '' } = cluster.metadata;
  request.status = { ...request.status, phase: 'Granted', cluster: { name, namespace } };
  const rule = deps.config()?.purposes[request.spec.purpose];
  const problem = findGrantProblem(cluster, { request, rule, view: deps.view });
  const condition = problem ? { status: 'False' as const, ...problem } : givenCondition(cluster);
  setCondition(request, { type: 'Ready', ...condition }, now);
  return 'continue';
}

function givenCondition({ metadata: { name, namespace, deletionTimestamp } }: Cluster) {
  const isGoing = deletionTimestamp !== undefined;
  const message = isGoing
    ? `Cluster ${namespace}/${name} is to be deleted and waits for its requests to go first.`
    : `Cluster ${namespace}/${name} is given.`;
  return { status: 'True' as const, reason: isGoing ? 'ClusterDeleting' : 'Granted', message };
}

function reject(request: ClusterRequest, phase: string, { reason, message }: Obstacle, now: Date): StepResult {
  request.status = { ...request.status, phase };
  setCondition(request, { type: 'Ready', status: 'False', reason, message }, now);
  return 'continue';
}
