import { parseTime } from '@chandlery/api';
import { findCondition, type Stated, stateCondition, withoutCondition } from './conditions.ts';
import { sum, withoutZeros } from './numbers.ts';
import type { Deployment, DeploymentStatus, ReplicaSet, WorkloadCondition } from './objects.ts';
import { rolloutLimits } from './rollout.ts';

/** The input of a deployment's status. */
export interface DeploymentView {
  readonly deployment: Deployment;
  readonly current: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
  /** A set was created in this reconcile. */
  readonly isNewSet: boolean;
}

const noDeadline = 2 ** 31 - 1;

const count = (sets: readonly ReplicaSet[], field: 'replicas' | 'readyReplicas' | 'availableReplicas'): number =>
  sum(sets.map(({ status }) => status?.[field] ?? 0));

/** The status to report. */
export function describeDeployment(view: DeploymentView, now: Date): DeploymentStatus {
  const { deployment, current, old } = view;
  const before = deployment.status ?? {};
  const all = current === undefined ? old : [current, ...old];
  const wanted = sum(all.map(({ spec }) => spec?.replicas ?? 0));
  const numbers = {
    replicas: count(all, 'replicas'),
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: count(all, 'readyReplicas'),
    availableReplicas: count(all, 'availableReplicas'),
    unavailableReplicas: Math.max(0, wanted - count(all, 'availableReplicas')),
  };
  const { generation } = deployment.metadata;
  const conditions = describeAvailability(deployment, numbers.availableReplicas, now);
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...withoutZeros(numbers),
    ...(before.collisionCount === undefined ? {} : { collisionCount: before.collisionCount }),
    conditions: describeProgress(view, numbers, describeFailure(all, conditions, now), now),
  };
}

const state = (conditions: readonly WorkloadCondition[] | undefined, stated: Stated, now: Date): WorkloadCondition[] =>
  stateCondition(conditions, stated, now, 'lastUpdateTime');

function describeAvailability({ spec, status }: Deployment, available: number, now: Date): WorkloadCondition[] {
  const replicas = spec?.replicas ?? 1;
  const { maxUnavailable } = rolloutLimits(replicas, spec?.strategy?.rollingUpdate);
  const minimum = spec?.strategy?.type === 'Recreate' ? replicas : replicas - maxUnavailable;
  const isAvailable = available >= minimum;
  return state(
    status?.conditions,
    {
      type: 'Available',
      status: isAvailable ? 'True' : 'False',
      reason: isAvailable ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
      message: `Deployment ${isAvailable ? 'has' : 'does not have'} minimum availability.`,
    },
    now,
  );
}

/** The deployment reports the failure of its sets too. */
function describeFailure(sets: readonly ReplicaSet[], conditions: WorkloadCondition[], now: Date): WorkloadCondition[] {
  const failure = sets.map(({ status }) => findCondition(status?.conditions, 'ReplicaFailure')).find(Boolean);
  if (failure === undefined) return withoutCondition(conditions, 'ReplicaFailure');
  const { type, status, reason = '', message = '' } = failure;
  return state(conditions, { type, status, reason, message }, now);
}

type Numbers = Required<
  Pick<DeploymentStatus, 'replicas' | 'updatedReplicas' | 'readyReplicas' | 'availableReplicas' | 'unavailableReplicas'>
>;

function describeProgress(
  view: DeploymentView,
  numbers: Numbers,
  conditions: WorkloadCondition[],
  now: Date,
): WorkloadCondition[] {
  const { spec, status } = view.deployment;
  const before = findCondition(status?.conditions, 'Progressing');
  if ((spec?.progressDeadlineSeconds ?? 600) === noDeadline) return withoutCondition(conditions, 'Progressing');
  const stated = stateProgress(view, numbers, before, now);
  if (stated === undefined) return conditions;
  const next = state(conditions, stated, now);
  // Every progress restarts the deadline, also when the condition stays the same.
  const isStep = stated.reason === 'ReplicaSetUpdated' && hasProgressed(status ?? {}, numbers);
  return isStep ? touch(next, now) : next;
}

const touch = (conditions: WorkloadCondition[], now: Date): WorkloadCondition[] =>
  conditions.map(condition =>
    condition.type === 'Progressing'
      ? { ...condition, lastUpdateTime: `${now.toISOString().slice(0, 19)}Z` }
      : condition,
  );

function stateProgress(
  view: DeploymentView,
  numbers: Numbers,
  before: WorkloadCondition | undefined,
  now: Date,
): Stated | undefined {
  const { deployment, current, isNewSet } = view;
  const name =
    current === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${current.metadata.name}"`;
  const stated = (status: 'True' | 'False' | 'Unknown', reason: string, message: string): Stated => ({
    type: 'Progressing',
    status,
    reason,
    message,
  });
  if (deployment.spec?.paused === true) return stated('Unknown', 'DeploymentPaused', 'Deployment is paused');
  if (isComplete(deployment, numbers)) {
    // Once it is complete it stays so, whatever happens to its pods.
    return stated('True', 'NewReplicaSetAvailable', `${name} has successfully progressed.`);
  }
  if (isNewSet) return stated('True', 'NewReplicaSetCreated', `Created new replica set "${current?.metadata.name}"`);
  if (hasProgressed(deployment.status ?? {}, numbers)) {
    return stated('True', 'ReplicaSetUpdated', `${name} is progressing.`);
  }
  if (before?.reason === 'NewReplicaSetAvailable' && isOfGeneration(deployment)) return undefined;
  if (isPastDeadline(deployment, before, now)) {
    return stated('False', 'ProgressDeadlineExceeded', `${name} has timed out progressing.`);
  }
  if (before === undefined || before.reason === 'DeploymentPaused' || before.reason === 'NewReplicaSetAvailable') {
    return stated('True', 'ReplicaSetUpdated', `${name} is progressing.`);
  }
  return undefined;
}

const isOfGeneration = ({ metadata, status }: Deployment): boolean =>
  status?.observedGeneration === metadata.generation;

/** All pods are new and available, and nothing old is left. */
export function isComplete(
  { spec }: Deployment,
  numbers: Pick<DeploymentStatus, 'replicas' | 'updatedReplicas' | 'availableReplicas'>,
): boolean {
  const replicas = spec?.replicas ?? 1;
  const { replicas: all = 0, updatedReplicas = 0, availableReplicas = 0 } = numbers;
  return updatedReplicas === replicas && all === replicas && availableReplicas === replicas;
}

/** More new, ready or available pods, or fewer old ones. */
const hasProgressed = (before: DeploymentStatus, after: Numbers): boolean =>
  after.updatedReplicas > (before.updatedReplicas ?? 0) ||
  after.replicas - after.updatedReplicas < (before.replicas ?? 0) - (before.updatedReplicas ?? 0) ||
  after.readyReplicas > (before.readyReplicas ?? 0) ||
  after.availableReplicas > (before.availableReplicas ?? 0);

/** When a rollout without progress counts as failed; undefined when none is in progress. */
export function deadlineMs({ spec }: Deployment, progressing: WorkloadCondition | undefined): number | undefined {
  const seconds = spec?.progressDeadlineSeconds ?? 600;
  const since = parseTime(progressing?.lastUpdateTime ?? '');
  const isUnderWay = progressing?.status === 'True' && progressing.reason !== 'NewReplicaSetAvailable';
  return !isUnderWay || seconds === noDeadline || since === undefined ? undefined : since.getTime() + seconds * 1000;
}

const isPastDeadline = (deployment: Deployment, before: WorkloadCondition | undefined, now: Date): boolean =>
  before?.reason === 'ProgressDeadlineExceeded' ||
  (deadlineMs(deployment, before) ?? Number.POSITIVE_INFINITY) <= now.getTime();
