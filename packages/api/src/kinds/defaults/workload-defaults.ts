import { childOf, type Draft, ensureChild, fill, fillAll, isAbsent } from './draft.ts';
import { fillPodSpec } from './pod-defaults.ts';

const MAX_INT32 = 2 ** 31 - 1;

const fillTemplate = (spec: Draft | undefined): void => fillPodSpec(childOf(childOf(spec, 'template'), 'spec'));

/** Settings of a rolling update belong to that strategy only, so the schema cannot fill them in. */
function fillRollingUpdate(strategy: Draft | undefined, values: Readonly<Draft>): void {
  if (strategy === undefined) return;
  if (isAbsent(strategy['type']) || strategy['type'] === '') strategy['type'] = 'RollingUpdate';
  if (strategy['type'] !== 'RollingUpdate') return;
  const settings = ensureChild(strategy, 'rollingUpdate');
  if (settings !== undefined) fillAll(settings, values);
}

/** Fills in a deployment. */
export function fillDeployment(deployment: Draft): void {
  const spec = childOf(deployment, 'spec');
  fillTemplate(spec);
  if (spec !== undefined) {
    fillRollingUpdate(ensureChild(spec, 'strategy'), { maxUnavailable: '25%', maxSurge: '25%' });
  }
}

/** Fills in a replica set. */
export const fillReplicaSet = (replicaSet: Draft): void => fillTemplate(childOf(replicaSet, 'spec'));

/** Fills in a stateful set. */
export function fillStatefulSet(statefulSet: Draft): void {
  const spec = childOf(statefulSet, 'spec');
  fillTemplate(spec);
  if (spec !== undefined) fillRollingUpdate(ensureChild(spec, 'updateStrategy'), { partition: 0 });
}

/** Fills in a daemon set. */
export function fillDaemonSet(daemonSet: Draft): void {
  const spec = childOf(daemonSet, 'spec');
  fillTemplate(spec);
  if (spec !== undefined) fillRollingUpdate(ensureChild(spec, 'updateStrategy'), { maxUnavailable: 1, maxSurge: 0 });
}

const templateLabels = (spec: Draft | undefined): Draft | undefined =>
  childOf(childOf(childOf(spec, 'template'), 'metadata'), 'labels');

function fillLabels(object: Draft, labels: Draft | undefined): void {
  const metadata = childOf(object, 'metadata');
  if (metadata !== undefined && labels !== undefined) fill(metadata, 'labels', { ...labels });
}

/** Fills in a replication controller: its labels are those of its pods unless it says otherwise. */
export function fillReplicationController(controller: Draft): void {
  const spec = childOf(controller, 'spec');
  const labels = templateLabels(spec);
  fillTemplate(spec);
  fillLabels(controller, labels);
  if (spec !== undefined && labels !== undefined) fill(spec, 'selector', { ...labels });
}

/** Fills in what a job and a cron job's template have in common. */
function fillJobSpec(spec: Draft | undefined): void {
  if (spec === undefined) return;
  fillTemplate(spec);
  // With neither said it is one pod; with parallelism alone it is a work queue, which has no completions.
  if (isAbsent(spec['completions']) && isAbsent(spec['parallelism'])) spec['completions'] = 1;
  fill(spec, 'parallelism', 1);
  if (!isAbsent(spec['backoffLimitPerIndex'])) fill(spec, 'backoffLimit', MAX_INT32);
  fill(spec, 'podReplacementPolicy', isAbsent(spec['podFailurePolicy']) ? 'TerminatingOrFailed' : 'Failed');
}

/** Fills in a job. */
export function fillJob(job: Draft): void {
  const spec = childOf(job, 'spec');
  fillJobSpec(spec);
  fillLabels(job, templateLabels(spec));
}

/** Fills in a cron job: jobs that it makes get theirs when they are made. */
export function fillCronJob(cronJob: Draft): void {
  const jobSpec = childOf(childOf(childOf(cronJob, 'spec'), 'jobTemplate'), 'spec');
  fillPodSpec(childOf(childOf(jobSpec, 'template'), 'spec'));
}
