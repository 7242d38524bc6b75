import { isError, toError } from '@chandlery/api';
import {
  type Controller,
  controllerKeys,
  controllerOf,
  createController,
  keyOf,
  type StepContext,
  type StepResult,
} from '@chandlery/runtime';
import { isSelected } from '../../model/workloads/claims.ts';
import { stateCondition, withoutCondition } from '../../model/workloads/conditions.ts';
import type { PodObject, ReplicaSet } from '../../model/workloads/objects.ts';
import { isActive } from '../../model/workloads/pods.ts';
import { countReplicas, planReplicas } from '../../model/workloads/replicas.ts';
import { claimObjects } from './claim-objects.ts';
import { makePods, type PodWriter, podOf, removePods } from './make-pods.ts';
import { refs } from './refs.ts';
import { plainOptions, type WorkloadDeps } from './workload-deps.ts';

interface Deps {
  /** Adopts and releases pods, and returns all pods of the set. */
  readonly claimPods: (set: ReplicaSet) => Promise<readonly PodObject[]>;
  readonly podsOf: (set: ReplicaSet) => readonly PodObject[];
  readonly maker: PodWriter;
}

/** Keeps the requested number of pods. */
export function replicaSetController(deps: WorkloadDeps): Controller {
  const { client, caches, events } = deps;
  const { pods, replicaSets } = caches;
  const group = { group: 'apps', kind: 'ReplicaSet' };
  const keysOfOrphan = (pod: PodObject): readonly string[] =>
    replicaSets.informer
      .list(pod.metadata.namespace)
      .filter(set => isSelected(set.spec?.selector, pod))
      .map(keyOf);
  return createController<ReplicaSet, Deps>({
    ...plainOptions<ReplicaSet>(deps, 'replicasets'),
    for: { ref: refs.replicaSets, informer: replicaSets.informer },
    owns: [
      {
        informer: pods.informer,
        mapToKeys: pod => (controllerOf(pod) === undefined ? keysOfOrphan(pod) : controllerKeys(pod, group)),
      },
    ],
    steps: [adoptPods, countPods, managePods, awaitAvailability],
    needs: {
      claimPods: owner =>
        claimObjects({
          client,
          owner,
          ownerRef: refs.replicaSets,
          selector: owner.spec?.selector,
          ref: refs.pods,
          cache: pods,
        }),
      podsOf: ({ metadata }) => pods.find(metadata.uid ?? ''),
      maker: { client, cache: pods, events },
    },
    concurrency: 4,
  });
}

const activePods = (set: ReplicaSet, { podsOf }: Deps): readonly PodObject[] => podsOf(set).filter(isActive);

async function adoptPods(set: ReplicaSet, { claimPods }: Deps): Promise<StepResult> {
  await claimPods(set);
  return 'continue';
}

function countPods(set: ReplicaSet, deps: Deps, { now }: StepContext): StepResult {
  const { status } = countReplicas(set, activePods(set, deps), now);
  const { generation } = set.metadata;
  const conditions = set.status?.conditions ?? [];
  set.status = {
    ...status,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
  return 'continue';
}

async function managePods(set: ReplicaSet, deps: Deps, { now }: StepContext): Promise<StepResult> {
  const { create, remove } = planReplicas(set.spec?.replicas ?? 1, activePods(set, deps));
  try {
    const template = set.spec?.template ?? {};
    await makePods(
      deps.maker,
      set,
      Array.from({ length: create }, () => podOf(set, template)),
    );
    await removePods(deps.maker, set, remove);
    if (create + remove.length > 0) reportFailure(set, undefined, now);
  } catch (error) {
    if (isError(error, 'Conflict')) throw error;
    reportFailure(set, { reason: create > 0 ? 'FailedCreate' : 'FailedDelete', message: toError(error).message }, now);
    throw error;
  }
  return 'continue';
}

function reportFailure(
  set: ReplicaSet,
  failure: { readonly reason: string; readonly message: string } | undefined,
  now: Date,
): void {
  const { conditions: before, ...status } = set.status ?? {};
  const conditions =
    failure === undefined
      ? withoutCondition(before, 'ReplicaFailure')
      : stateCondition(before, { type: 'ReplicaFailure', status: 'True', ...failure }, now);
  set.status = { ...status, ...(conditions.length === 0 ? {} : { conditions }) };
}

/** Requeues the set for the time at which a pod becomes available. */
function awaitAvailability(set: ReplicaSet, deps: Deps, { now }: StepContext): StepResult {
  const { availableAtMs } = countReplicas(set, activePods(set, deps), now);
  return Number.isFinite(availableAtMs) ? { retryAfterMs: availableAtMs - now.getTime() } : 'continue';
}
