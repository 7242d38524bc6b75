import { type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { Cluster } from '../../kinds/cluster.ts';
import type { ClusterRequest } from '../../kinds/cluster-request.ts';
import { findGrantProblem } from '../../model/scheduling/capability-needs.ts';
import { decideRequest } from '../../model/scheduling/decide-request.ts';
import type { Obstacle, Plan } from '../../model/scheduling/plan.ts';
import { isExclusive } from '../../model/scheduling/purpose-rule.ts';
import { overtaken } from './cluster-writes.ts';
import type { SchedulerNeeds } from './scheduler-needs.ts';

/**
 * Finds or makes the cluster of a request, holds it, and says which it is. Decisions about shared clusters of a purpose
 * are made one after the other, so that each sees what the one before has done; others need not wait.
 */
export async function assignCluster(
  request: ClusterRequest,
  needs: SchedulerNeeds,
  context: StepContext,
): Promise<StepResult> {
  const decide = (): Plan => decideRequest({ request, config: needs.config(), view: needs.view, chance: needs.chance });
  const plan = decide();
  if (!isShared(plan)) return carryOut(plan, request, needs, context);
  return needs.purposeLocks.run(request.spec.purpose, () => carryOut(decide(), request, needs, context));
}

const isShared = (plan: Plan): boolean =>
  (plan.type === 'hold' || plan.type === 'create') && !isExclusive(plan.cluster);

async function carryOut(
  plan: Plan,
  request: ClusterRequest,
  needs: SchedulerNeeds,
  { now, signal }: StepContext,
): Promise<StepResult> {
  switch (plan.type) {
    case 'grant':
      return grant(request, plan.cluster, needs, now);
    case 'hold':
      if (!(await needs.areGone(plan.orphans, signal))) throw overtaken('a request that seemed to be gone is there');
      await needs.writeMetadata(plan.cluster, plan.metadata, signal);
      return grant(request, plan.cluster, needs, now);
    case 'create':
      await needs.createCluster(plan.cluster, signal);
      return grant(request, plan.cluster, needs, now);
    case 'wait':
      return refuse(request, 'Pending', plan, now);
    case 'deny':
      return refuse(request, 'Denied', plan, now);
  }
}

/** The request has its cluster; `Ready` also tells when that cannot do what the request needs. */
function grant(request: ClusterRequest, cluster: Cluster, needs: SchedulerNeeds, now: Date): StepResult {
  const { name = '', namespace = '' } = cluster.metadata;
  request.status = { ...request.status, phase: 'Granted', cluster: { name, namespace } };
  const rule = needs.config()?.purposes[request.spec.purpose];
  const problem = findGrantProblem(cluster, { request, rule, view: needs.view });
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

function refuse(request: ClusterRequest, phase: string, { reason, message }: Obstacle, now: Date): StepResult {
  request.status = { ...request.status, phase };
  setCondition(request, { type: 'Ready', status: 'False', reason, message }, now);
  return 'continue';
}
