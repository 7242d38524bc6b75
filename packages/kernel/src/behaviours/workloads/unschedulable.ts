import { hasNodes } from '../../resources/cluster-nodes.ts';
import type { Put } from '../../store/store.ts';
import type { BehaviourContext } from '../behaviour.ts';
import type { Pod, PodCondition } from './objects.ts';
import { warningEvent } from './warning-event.ts';

const reason = 'Unschedulable';
const message =
  '0/0 nodes are available: this cluster has no nodes. Run the pod on a cluster that has some: a local cluster, or an external one.';

/**
 * The condition of a pod on a cluster without nodes, which has no scheduler: without it the pod would be pending for ever
 * without a reason. A node that joins later takes the pod and replaces the condition.
 */
export async function unschedulableCondition(
  { spec }: Pod,
  { deps, target: { cluster }, write, now }: BehaviourContext,
): Promise<{ conditions: PodCondition[] } | undefined> {
  if ((spec?.nodeName ?? '') !== '') return undefined;
  if (await hasNodes(deps, cluster)) return undefined;
  write.warn?.(message);
  return { conditions: [{ type: 'PodScheduled', status: 'False', reason, message, lastTransitionTime: now }] };
}

/** The event that `kubectl describe` shows beside {@link unschedulableCondition}. */
export function schedulingEvents(pod: Pod, context: BehaviourContext): readonly Put[] {
  const isUnschedulable = pod.status?.conditions?.some(condition => condition.reason === reason) ?? false;
  return isUnschedulable ? [warningEvent(pod, { reason: 'FailedScheduling', message }, context)] : [];
}
