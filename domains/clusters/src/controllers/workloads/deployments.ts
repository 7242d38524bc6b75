import type { KubeObject } from '@chandlery/api';
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
import { findCondition } from '../../model/workloads/conditions.ts';
import { deadlineMs, describeDeployment, isComplete } from '../../model/workloads/deployment-status.ts';
import type { Deployment, PodObject, ReplicaSet } from '../../model/workloads/objects.ts';
import { hasEnded } from '../../model/workloads/pods.ts';
import { planScale } from '../../model/workloads/proportional-scale.ts';
import { revisionAnnotation, type Sets, sortSets, surplusSets, viewRollout } from '../../model/workloads/revisions.ts';
import {
  initialReplicas,
  isScaled,
  planRecreate,
  planRollingUpdate,
  type Scaling,
} from '../../model/workloads/rollout.ts';
import { claimObjects } from './claim-objects.ts';
import { makeSet, removeSet, reviseSet, type SetWriter, scaleSet } from './deployment-sets.ts';
import { refs } from './refs.ts';
import { plainOptions, type WorkloadDeps } from './workload-deps.ts';

interface Deps {
  readonly claimSets: (deployment: Deployment) => Promise<unknown>;
  readonly setsOf: (deployment: Deployment) => Sets;
  readonly podsOf: (set: ReplicaSet) => readonly PodObject[];
  readonly writer: SetWriter;
}

/** Replaces pods through replica sets when a deployment's template changes. */
export function deploymentController(deps: WorkloadDeps): Controller {
  const { client, caches, events } = deps;
  const { deployments, replicaSets, pods } = caches;
  const writer: SetWriter = { client, cache: replicaSets, events };
  return createController<Deployment, Deps>({
    ...plainOptions<Deployment>(deps, 'deployments'),
    for: { ref: refs.deployments, informer: deployments },
    owns: [{ informer: replicaSets.informer, mapToKeys: set => keysOfSet(deps, set) }],
    watches: [{ informer: pods.informer, mapToKeys: pod => keysOfPod(deps, pod) }],
    steps: [adoptSets, ensureSet, reviseCurrentSet, replacePods, removeOldSets, reportStatus],
    needs: {
      claimSets: owner =>
        claimObjects({
          client,
          owner,
          ownerRef: refs.deployments,
          selector: owner.spec?.selector,
          ref: refs.replicaSets,
          cache: replicaSets,
        }),
      setsOf: deployment => sortSets(deployment, replicaSets.find(deployment.metadata.uid ?? '')),
      podsOf: set => pods.find(set.metadata.uid ?? ''),
      writer,
    },
    concurrency: 4,
  });
}

const asOwner = { group: 'apps', kind: 'Deployment' };

function keysOfSet({ caches }: WorkloadDeps, set: KubeObject): readonly string[] {
  if (controllerOf(set) !== undefined) return controllerKeys(set, asOwner);
  const inNamespace = caches.deployments.list(set.metadata.namespace);
  return inNamespace.filter(({ spec }) => isSelected(spec?.selector, set)).map(keyOf);
}

/** Only the strategy Recreate waits for the deletion of pods; everything else is in the status of the sets. */
function keysOfPod({ caches }: WorkloadDeps, pod: KubeObject): readonly string[] {
  const { namespace } = pod.metadata;
  const set = caches.replicaSets.informer.get(namespace, controllerOf(pod)?.name ?? '');
  const name = set === undefined ? undefined : controllerOf(set)?.name;
  const deployment = name === undefined ? undefined : caches.deployments.get(namespace, name);
  return deployment?.spec?.strategy?.type === 'Recreate' ? [keyOf(deployment)] : [];
}

const isPaused = ({ spec }: Deployment): boolean => spec?.paused === true;
const isRecreated = ({ spec }: Deployment): boolean => spec?.strategy?.type === 'Recreate';

async function adoptSets(deployment: Deployment, { claimSets }: Deps): Promise<StepResult> {
  await claimSets(deployment);
  return 'continue';
}

async function ensureSet(deployment: Deployment, { setsOf, writer }: Deps, { now }: StepContext): Promise<StepResult> {
  const sets = setsOf(deployment);
  if (sets.current !== undefined || isPaused(deployment)) return 'continue';
  const replicas = isRecreated(deployment) ? 0 : initialReplicas(viewRollout(deployment, sets));
  const made = await makeSet(writer, deployment, { sets, replicas });
  if (made === 'collision') {
    deployment.status = { ...deployment.status, collisionCount: (deployment.status?.collisionCount ?? 0) + 1 };
    return { retryAfterMs: 1 };
  }
  const view = { deployment, ...setsOf(deployment), isNewSet: true };
  deployment.status = describeDeployment(view, now);
  return 'continue';
}

async function reviseCurrentSet(deployment: Deployment, { setsOf, writer }: Deps): Promise<StepResult> {
  const { current, old } = setsOf(deployment);
  if (current === undefined) return 'continue';
  if (!isPaused(deployment)) await reviseSet(writer, deployment, { current, old });
  const revision = setsOf(deployment).current?.metadata.annotations?.[revisionAnnotation];
  if (revision !== undefined) {
    deployment.metadata.annotations = { ...deployment.metadata.annotations, [revisionAnnotation]: revision };
  }
  return 'continue';
}

async function replacePods(deployment: Deployment, deps: Deps): Promise<StepResult> {
  const sets = deps.setsOf(deployment);
  const view = viewRollout(deployment, sets);
  if (isScaled(view) || isPaused(deployment)) {
    await applyScale(deployment, deps, planScale(view, !isRecreated(deployment)), true);
    return 'continue';
  }
  const plan = isRecreated(deployment)
    ? planRecreate(
        view,
        sets.old.flatMap(deps.podsOf).some(pod => !hasEnded(pod)),
      )
    : planRollingUpdate(view);
  await applyScale(deployment, deps, plan, false);
  return 'continue';
}

/** After a change of the deployment's size, every active set is updated, also one that keeps its number of pods. */
async function applyScale(
  deployment: Deployment,
  { setsOf, writer }: Deps,
  plan: readonly Scaling[],
  isResized: boolean,
): Promise<void> {
  const { current, old } = setsOf(deployment);
  for (const set of current === undefined ? old : [current, ...old]) {
    const scaling = plan.find(({ name }) => name === set.metadata.name);
    const replicas = scaling?.replicas ?? set.spec?.replicas ?? 1;
    const isToldSize = isResized && (set.spec?.replicas ?? 1) > 0;
    if (scaling !== undefined || isToldSize) await scaleSet(writer, deployment, { set, replicas });
  }
}

async function removeOldSets(deployment: Deployment, { setsOf, writer }: Deps): Promise<StepResult> {
  if (isPaused(deployment) || !isComplete(deployment, deployment.status ?? {})) return 'continue';
  for (const set of surplusSets(deployment, setsOf(deployment))) await removeSet(writer, set);
  return 'continue';
}

/** Requeues the deployment for the deadline of a stalled rollout. */
function reportStatus(deployment: Deployment, { setsOf }: Deps, { now }: StepContext): StepResult {
  deployment.status = describeDeployment({ deployment, ...setsOf(deployment), isNewSet: false }, now);
  const progressing = findCondition(deployment.status.conditions, 'Progressing');
  const deadline = deadlineMs(deployment, progressing);
  return deadline === undefined ? 'continue' : { retryAfterMs: Math.max(1000, deadline - now.getTime()) };
}
