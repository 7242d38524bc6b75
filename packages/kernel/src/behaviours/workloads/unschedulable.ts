import type { KubeObject } from '@chandlery/api';
import { hasNodes } from '../../resources/cluster-nodes.ts';
import { putOf } from '../../resources/commit.ts';
import type { Put } from '../../store/store.ts';
import type { BehaviourContext } from '../behaviour.ts';
import type { Pod, PodCondition } from './objects.ts';

const reason = 'Unschedulable';
const message =
  '0/0 nodes are available: this cluster has no nodes. Run the pod on a cluster that has some: a local cluster, or an external one.';

/**
 * The condition of a pod on a cluster without nodes, where nobody schedules: without it the pod would be pending for ever
 * and nothing would say why. A node that joins later takes the pod and replaces the condition.
 */
export async function unschedulableCondition(
  { spec }: Pod,
  { needs, target: { cluster }, now }: BehaviourContext,
): Promise<{ conditions: PodCondition[] } | undefined> {
  if ((spec?.nodeName ?? '') !== '') return undefined;
  if (await hasNodes(needs, cluster)) return undefined;
  return { conditions: [{ type: 'PodScheduled', status: 'False', reason, message, lastTransitionTime: now }] };
}

/** The event that `kubectl describe` shows beside {@link unschedulableCondition}. */
export function schedulingEvents({ metadata, status }: Pod, { needs, target, now }: BehaviourContext): readonly Put[] {
  const isUnschedulable = status?.conditions?.some(condition => condition.reason === reason) ?? false;
  if (!isUnschedulable) return [];
  const { name = '', namespace = '', uid } = metadata;
  const event: KubeObject = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name: `${name}.${needs.ids.uuid().slice(0, 16)}`,
      namespace,
      uid: needs.ids.uuid(),
      creationTimestamp: now,
    },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', name, namespace, ...(uid === undefined ? {} : { uid }) },
    type: 'Warning',
    reason: 'FailedScheduling',
    message,
    source: { component: 'chandlery' },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  };
  const kind = needs.registry.builtIn('/events');
  const key = { cluster: target.cluster, resource: kind.resource, namespace, name: event.metadata.name ?? '' };
  return [putOf(needs, kind, key, event, { type: 'absent' })];
}
