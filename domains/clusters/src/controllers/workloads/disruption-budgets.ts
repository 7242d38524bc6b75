import { ChandleryError, isError } from '@chandlery/api';
import {
  type Controller,
  controllerOf,
  createController,
  keyOf,
  type StepContext,
  type StepResult,
} from '@chandlery/runtime';
import {
  countBudget,
  type DisruptionBudget,
  isBudgeted,
  nextRecountMs,
  type PodScale,
  uncountable,
} from '../../model/workloads/disruption.ts';
import type { Deployment, PodObject, ReplicaSet } from '../../model/workloads/objects.ts';
import { refs } from './refs.ts';
import type { WorkloadCaches } from './workload-caches.ts';
import { plainOptions, type WorkloadDeps } from './workload-deps.ts';

interface Deps {
  readonly podsOf: (budget: DisruptionBudget) => readonly PodObject[];
  readonly scaleOf: (pod: PodObject) => PodScale | undefined;
}

/** The code of the error for pods without a known scale. */
const noScale = 'NoScale';

/** Counts how many pods may be evicted. */
export function disruptionController(deps: WorkloadDeps): Controller {
  const { caches } = deps;
  const { budgets, pods, replicaSets, deployments } = caches;
  const budgetsOf = (pod: Pick<PodObject, 'metadata'>): readonly string[] =>
    budgets
      .list(pod.metadata.namespace)
      .filter(budget => isBudgeted(budget, pod))
      .map(keyOf);
  return createController<DisruptionBudget, Deps>({
    ...plainOptions<DisruptionBudget>(deps, 'disruptionbudgets'),
    for: { ref: refs.podDisruptionBudgets, informer: budgets },
    watches: [
      { informer: pods.informer, mapToKeys: budgetsOf },
      { informer: replicaSets.informer, mapToKeys: (set: ReplicaSet) => budgetsOf(podOf(set)) },
      { informer: deployments, mapToKeys: (deployment: Deployment) => budgetsOf(podOf(deployment)) },
    ],
    steps: [countDisruptions],
    needs: {
      podsOf: budget => pods.informer.list(budget.metadata.namespace).filter(pod => isBudgeted(budget, pod)),
      scaleOf: pod => scaleOf(caches, pod),
    },
  });
}

/** A change of a controller's scale affects the budgets of its pods. */
const podOf = ({ metadata, spec }: ReplicaSet | Deployment): Pick<PodObject, 'metadata'> => ({
  metadata: { namespace: metadata.namespace ?? '', labels: spec?.template?.metadata?.labels ?? {} },
});

/**
 * The status is written to the version of the budget that it was counted from: an eviction in between makes this write
 * fail and the budget is counted again, so that no disruption is allowed twice.
 */
function countDisruptions(budget: DisruptionBudget, deps: Deps, { now }: StepContext): StepResult {
  const view = { pods: deps.podsOf(budget), scaleOf: deps.scaleOf };
  try {
    budget.status = { ...countBudget(budget, view, now) };
  } catch (error) {
    if (!isError(error, noScale)) throw error;
    budget.status = { ...uncountable(budget, error.message, now) };
  }
  const recountMs = nextRecountMs(budget);
  return recountMs === undefined ? 'continue' : { retryAfterMs: Math.max(0, recountMs - now.getTime()) + 1 };
}

/** The scale of a deployment overrides that of its sets, whose numbers change during a rollout. */
function scaleOf({ replicaSets, deployments }: WorkloadCaches, pod: PodObject): PodScale | undefined {
  const owner = controllerOf(pod);
  if (owner === undefined) return undefined;
  const { namespace } = pod.metadata;
  if (owner.kind !== 'ReplicaSet') throw scaleError(owner);
  const set = replicaSets.informer.get(namespace, owner.name);
  if (set?.metadata.uid !== owner.uid) return undefined;
  const parent = controllerOf(set);
  const deployment = parent?.kind === 'Deployment' ? deployments.get(namespace, parent.name) : undefined;
  const scaled = deployment !== undefined && deployment.metadata.uid === parent?.uid ? deployment : set;
  return { uid: scaled.metadata.uid ?? '', replicas: scaled.spec?.replicas ?? 1 };
}

const scaleError = ({ kind, name }: { readonly kind: string; readonly name: string }): ChandleryError =>
  new ChandleryError(
    noScale,
    `${kind} "${name}" does not say how many pods there should be: use a number in minAvailable`,
  );
