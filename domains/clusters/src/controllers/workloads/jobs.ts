import { isError, type KubeObject, parseTime } from '@chandlery/api';
import {
  type Controller,
  controllerKeys,
  controllerOf,
  createController,
  type EventRecorder,
  keyOf,
  type StepContext,
  type StepResult,
} from '@chandlery/runtime';
import { isSelected } from '../../model/workloads/claims.ts';
import { findCondition, stateCondition } from '../../model/workloads/conditions.ts';
import type { JobBackOff } from '../../model/workloads/job-back-off.ts';
import { isFinished, type JobPlan, planJob } from '../../model/workloads/job-plan.ts';
import { jobTemplate } from '../../model/workloads/job-pod.ts';
import type { Job, PodObject } from '../../model/workloads/objects.ts';
import { claimObjects } from './claim-objects.ts';
import { makePods, type PodWriter, podOf, removePods } from './make-pods.ts';
import { refs, refTo } from './refs.ts';
import { plainOptions, type WorkloadDeps } from './workload-deps.ts';

interface Deps {
  readonly claimPods: (job: Job) => Promise<readonly PodObject[]>;
  readonly removeJob: (job: Job) => Promise<void>;
  readonly maker: PodWriter;
  readonly events: EventRecorder;
  readonly backOff: JobBackOff;
}

/** Runs pods until the requested number has succeeded. */
export function jobController(deps: WorkloadDeps, backOff: JobBackOff): Controller {
  const { client, caches, events } = deps;
  const { jobs, pods } = caches;
  return createController<Job, Deps>({
    ...plainOptions<Job>(deps, 'jobs'),
    for: { ref: refs.jobs, informer: jobs },
    owns: [{ informer: pods.informer, mapToKeys: pod => keysOfPod(deps, pod) }],
    steps: [leaveToOthers, runJob, expireJob],
    needs: {
      claimPods: owner =>
        claimObjects({
          client,
          owner,
          ownerRef: refs.jobs,
          selector: owner.spec?.selector,
          ref: refs.pods,
          cache: pods,
        }),
      removeJob: job => removeJob(deps, job),
      maker: { client, cache: pods, events },
      events,
      backOff,
    },
    concurrency: 4,
  });
}

function keysOfPod({ caches }: WorkloadDeps, pod: KubeObject): readonly string[] {
  if (controllerOf(pod) !== undefined) return controllerKeys(pod, { group: 'batch', kind: 'Job' });
  return caches.jobs
    .list(pod.metadata.namespace)
    .filter(({ spec }) => isSelected(spec?.selector, pod))
    .map(keyOf);
}

async function removeJob({ client }: WorkloadDeps, job: Job): Promise<void> {
  const { uid, resourceVersion = '' } = job.metadata;
  const preconditions = { ...(uid === undefined ? {} : { uid }), resourceVersion };
  try {
    await client.delete(refTo(refs.jobs, job), { propagationPolicy: 'Foreground', preconditions });
  } catch (error) {
    if (!isError(error, 'NotFound')) throw error;
  }
}

function leaveToOthers({ spec }: Job): StepResult {
  return (spec?.managedBy ?? 'kubernetes.io/job-controller') === 'kubernetes.io/job-controller' ? 'continue' : 'stop';
}

async function runJob(job: Job, deps: Deps, { now }: StepContext): Promise<StepResult> {
  if (isFinished(job)) return 'continue';
  const plan = planJob(job, await deps.claimPods(job), now, deps.backOff);
  report(job, plan, deps.events, now);
  await removePods(deps.maker, job, plan.remove);
  const pods = plan.create.map(({ index }) => podOf(job, jobTemplate(job, index), podName(job, index)));
  await makePods(deps.maker, job, pods);
  return plan.requeueAtMs === undefined ? 'continue' : { retryAfterMs: Math.max(1, plan.requeueAtMs - now.getTime()) };
}

const podName = ({ metadata }: Job, index: number | undefined): string =>
  index === undefined ? `${metadata.name}-` : `${metadata.name}-${index}-`;

function report(job: Job, plan: JobPlan, events: EventRecorder, now: Date): void {
  let conditions = job.status?.conditions ?? [];
  for (const stated of plan.conditions) {
    const isNew = findCondition(conditions, stated.type)?.status !== stated.status;
    conditions = stateCondition(conditions, stated, now, 'lastProbeTime');
    const event = isNew ? eventOf(stated.type, stated.reason ?? '', stated.message ?? '') : undefined;
    if (event !== undefined) events.record(job, event);
  }
  job.status = { ...plan.status, ...(conditions.length === 0 ? {} : { conditions }) };
}

function eventOf(type: string, reason: string, message: string): Parameters<EventRecorder['record']>[1] | undefined {
  if (type === 'Complete') return { type: 'Normal', reason: 'Completed', message: 'Job completed' };
  if (type === 'Failed') return { type: 'Warning', reason, message };
  return type === 'Suspended'
    ? { type: 'Normal', reason: reason === 'JobResumed' ? 'Resumed' : 'Suspended', message }
    : undefined;
}

/** Deletes a finished job after its time to live. */
async function expireJob(job: Job, { removeJob }: Deps, { now }: StepContext): Promise<StepResult> {
  const seconds = job.spec?.ttlSecondsAfterFinished;
  if (seconds === undefined || !isFinished(job)) return 'continue';
  const ends = ['Complete', 'Failed'].map(type => findCondition(job.status?.conditions, type)?.lastTransitionTime);
  const endedAt = parseTime(ends.find(time => time !== undefined) ?? '') ?? now;
  const leftMs = endedAt.getTime() + seconds * 1000 - now.getTime();
  if (leftMs > 0) return { retryAfterMs: leftMs };
  await removeJob(job);
  return 'stop';
}
