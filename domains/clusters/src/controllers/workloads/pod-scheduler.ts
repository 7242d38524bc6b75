import { formatTime, isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import {
  type Controller,
  createController,
  type EventRecorder,
  keyOf,
  parseKey,
  type StepContext,
  type StepResult,
} from '@chandlery/runtime';
import type { PodObject } from '../../model/workloads/objects.ts';
import { type NodeObject, type Placement, placePod, waitsForNode } from '../../model/workloads/placement.ts';
import { claimProblem, type VolumeClaim } from '../../model/workloads/volume-claims.ts';
import { refs, refTo } from './refs.ts';
import { plainOptions, type WorkloadDeps } from './workload-deps.ts';

interface Deps {
  readonly findClaim: (key: string) => VolumeClaim | undefined;
  listNodes(): readonly NodeObject[];
  readonly client: Pick<Client, 'create'>;
  readonly events: EventRecorder;
}

const waiting = 'waiting-for-node';

/** Binds pods to the node, or reports why it cannot. */
export function podScheduler(deps: WorkloadDeps): Controller {
  const { client, caches, events } = deps;
  const pods = caches.pods.informer;
  pods.addIndex(waiting, waitingIndex);
  const waitingPods = (): string[] => pods.byIndex(waiting, 'true').map(keyOf);
  const findClaim: Deps['findClaim'] = key => {
    const { namespace, name } = parseKey(key);
    return caches.volumeClaims.get(namespace, name);
  };
  return createController<PodObject, Deps>({
    ...plainOptions<PodObject>(deps, 'pod-scheduler'),
    for: { ref: refs.pods, informer: pods },
    watches: [
      { informer: caches.nodes, mapToKeys: waitingPods },
      { informer: caches.volumeClaims, mapToKeys: waitingPods },
    ],
    steps: [findNode],
    needs: { findClaim, listNodes: () => caches.nodes.list(), client, events },
    concurrency: 4,
  });
}

const waitingIndex = (pod: PodObject): readonly string[] => (waitsForNode(pod) ? ['true'] : []);

async function findNode(pod: PodObject, deps: Deps, { now }: StepContext): Promise<StepResult> {
  if (!waitsForNode(pod)) return 'stop';
  const problem = claimProblem(pod, deps.findClaim);
  const placement = problem === undefined ? placePod(pod, deps.listNodes()) : wait(problem);
  if (placement.type === 'bind') await bind(pod, deps, placement.node);
  else reportUnschedulable(pod, deps, placement.message, now);
  return 'continue';
}

const wait = (message: string): Placement => ({ type: 'wait', message });

async function bind(pod: PodObject, { client, events }: Deps, node: string): Promise<void> {
  const { name = '', namespace = '', uid } = pod.metadata;
  const metadata = { name, namespace, ...(uid === undefined ? {} : { uid }) };
  const target = { apiVersion: 'v1', kind: 'Node', name: node };
  try {
    await client.create(
      { ...refTo(refs.pods, pod), subresource: 'binding' },
      { apiVersion: 'v1', kind: 'Binding', metadata, target },
    );
  } catch (error) {
    // Bound before, or deleted: the cache will show it.
    if (isError(error, 'NotFound') || isError(error, 'Conflict')) return;
    throw error;
  }
  const message = `Successfully assigned ${namespace}/${name} to ${node}`;
  events.record(pod, { type: 'Normal', reason: 'Scheduled', message });
}

function reportUnschedulable(pod: PodObject, { events }: Deps, message: string, now: Date): void {
  const before = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (before?.reason === 'Unschedulable' && before.message === message) return;
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
  const lastTransitionTime = (before?.status === 'False' && before.lastTransitionTime) || formatTime(now);
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message,
    lastTransitionTime,
  } as const;
  pod.status = { ...pod.status, conditions: [...others, condition] };
  events.record(pod, { type: 'Warning', reason: 'FailedScheduling', message });
}
