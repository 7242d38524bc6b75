import { formatTime, parseTime } from '@chandlery/api';
import { isTrue, type Stated } from './conditions.ts';
import { failureDelayMs, type JobBackOff } from './job-back-off.ts';
import { countPods, type JobCounts } from './job-counts.ts';
import { formatIndexes, freeIndexes, indexOf } from './job-indexes.ts';
import { sum, withoutZeros } from './numbers.ts';
import type { Job, JobStatus, PodObject } from './objects.ts';
import { isPodReady, restartsOf } from './pods.ts';

/** The next actions of a job. */
export interface JobPlan {
  /** Pods to create, each with its number if the job is indexed. */
  readonly create: readonly { readonly index?: number }[];
  readonly remove: readonly PodObject[];
  /** Without conditions. */
  readonly status: JobStatus;
  /** Conditions to set, in order. */
  readonly conditions: readonly Stated[];
  /** When to reconcile again without a change. */
  readonly requeueAtMs?: number;
}

export const isFinished = ({ status }: Job): boolean =>
  isTrue(status?.conditions, 'Complete') || isTrue(status?.conditions, 'Failed');

/** Decides about a job that has not finished, from all of its pods. */
export function planJob(job: Job, pods: readonly PodObject[], now: Date, backOff: JobBackOff): JobPlan {
  const counts = countPods(job, pods);
  const failure = findFailure(job, counts, now);
  if (failure !== undefined) return planEnd(job, counts, failure, now);
  if (isAllDone(job, counts)) return planEnd(job, counts, undefined, now);
  if (job.spec?.suspend === true) return planSuspension(job, counts);
  return planRun(job, counts, { pods, now, backOff });
}

function findFailure(job: Job, counts: JobCounts, now: Date): Stated | undefined {
  const earlier = job.status?.conditions?.find(({ type, status }) => type === 'FailureTarget' && status === 'True');
  if (earlier !== undefined) return { ...failed(earlier.reason ?? '', earlier.message ?? '') };
  if (isPastBackoffLimit(job, counts))
    return failed('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  const isLate = deadlineOf(job) <= now.getTime() && job.spec?.suspend !== true;
  return isLate ? failed('DeadlineExceeded', 'Job was active longer than specified deadline') : undefined;
}

const failed = (reason: string, message: string): Stated => ({ type: 'Failed', status: 'True', reason, message });

function isPastBackoffLimit({ spec }: Job, { failed, active }: JobCounts): boolean {
  const limit = spec?.backoffLimit ?? 6;
  if (failed > limit) return true;
  if (spec?.template?.spec?.restartPolicy !== 'OnFailure') return false;
  const restarts = sum(active.map(restartsOf));
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

function deadlineOf({ spec, status }: Job): number {
  const start = parseTime(status?.startTime ?? '');
  if (start === undefined || spec?.activeDeadlineSeconds === undefined) return Number.POSITIVE_INFINITY;
  return start.getTime() + Number(spec.activeDeadlineSeconds) * 1000;
}

/** With a number of completions: when there are as many. Without: when one succeeded and the others have ended. */
function isAllDone({ spec }: Job, { succeeded, active }: JobCounts): boolean {
  if (spec?.completions !== undefined) return succeeded >= spec.completions;
  return succeeded > 0 && active.length === 0;
}

/** Reports the outcome first, and completion only when nothing runs any more. */
function planEnd(job: Job, counts: JobCounts, failure: Stated | undefined, now: Date): JobPlan {
  const isQuiet = counts.active.length === 0 && counts.terminating === 0;
  const end: Stated = failure ?? {
    type: 'Complete',
    status: 'True',
    reason: 'CompletionsReached',
    message: 'Reached expected number of succeeded pods',
  };
  const coming = { ...end, type: failure === undefined ? 'SuccessCriteriaMet' : 'FailureTarget' };
  const isComplete = isQuiet && failure === undefined;
  return {
    create: [],
    remove: counts.active,
    status: {
      ...statusOf(job, counts, now),
      ...withoutZeros({ terminating: counts.terminating + counts.active.length }),
      ...(isComplete ? { completionTime: formatTime(now) } : {}),
    },
    conditions: isQuiet ? [coming, end] : [coming],
  };
}

function planSuspension(job: Job, counts: JobCounts): JobPlan {
  const { startTime: _, ...status } = statusOf(job, counts, undefined);
  const terminating = counts.terminating + counts.active.length;
  return {
    create: [],
    remove: counts.active,
    status: { ...status, ...withoutZeros({ terminating }) },
    conditions: [{ type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' }],
  };
}

interface Moment {
  readonly pods: readonly PodObject[];
  readonly now: Date;
  readonly backOff: JobBackOff;
}

function planRun(job: Job, counts: JobCounts, { pods, now, backOff }: Moment): JobPlan {
  const wanted = wantedPods(job, counts);
  const held = job.spec?.podReplacementPolicy === 'Failed' ? counts.terminating : 0;
  const missing = wanted - counts.active.length - held;
  const mayStartAtMs = failureDelayMs(pods, backOff);
  const mayStart = now.getTime() >= mayStartAtMs;
  const wasSuspended = isTrue(job.status?.conditions, 'Suspended');
  const requeueAtMs = Math.min(deadlineOf(job), missing > 0 && !mayStart ? mayStartAtMs : Number.POSITIVE_INFINITY);
  return {
    create: missing > 0 && mayStart ? newPods(job, counts, missing) : [],
    remove: missing < 0 ? surplusPods(counts, -missing) : [],
    status: { ...statusOf(job, counts, now), ...withoutZeros({ terminating: counts.terminating }) },
    conditions: wasSuspended
      ? [{ type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' }]
      : [],
    ...(Number.isFinite(requeueAtMs) ? { requeueAtMs } : {}),
  };
}

function wantedPods({ spec }: Job, { succeeded, active }: JobCounts): number {
  const parallelism = spec?.parallelism ?? 1;
  if (spec?.completions !== undefined) return Math.min(parallelism, spec.completions - succeeded);
  // A work queue is empty once one of its workers has succeeded.
  return succeeded > 0 ? Math.min(active.length, parallelism) : parallelism;
}

function newPods({ spec }: Job, counts: JobCounts, count: number): readonly { readonly index?: number }[] {
  if (spec?.completionMode !== 'Indexed') return Array.from({ length: count }, () => ({}));
  const taken = new Set([...counts.completed, ...counts.active.flatMap(pod => indexOf(pod) ?? [])]);
  return freeIndexes(spec.completions ?? 0, taken, count).map(index => ({ index }));
}

/** Pods that are not ready are deleted first. */
const surplusPods = ({ active }: JobCounts, count: number): readonly PodObject[] =>
  active.toSorted((left, right) => Number(isPodReady(left)) - Number(isPodReady(right))).slice(0, count);

function statusOf({ status, spec }: Job, counts: JobCounts, now: Date | undefined): JobStatus {
  const startTime = status?.startTime ?? (now === undefined ? undefined : formatTime(now));
  const isIndexed = spec?.completionMode === 'Indexed' && counts.completed.length > 0;
  return {
    ...(startTime === undefined ? {} : { startTime }),
    ...withoutZeros({
      active: counts.active.length,
      succeeded: counts.succeeded,
      failed: counts.failed,
    }),
    ready: counts.active.filter(isPodReady).length,
    ...(isIndexed ? { completedIndexes: formatIndexes(counts.completed) } : {}),
  };
}
