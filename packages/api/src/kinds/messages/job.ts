// Jobs and cron jobs. Numbers and names as in Kubernetes 1.32.

import {
  int32,
  list,
  message,
  one,
  optionalBool,
  optionalInt32,
  optionalInt64,
  optionalString,
  string,
  time,
} from '../message.ts';
import { condition, labelSelector, objectMeta } from './meta.ts';
import { podTemplateSpec } from './pod-spec.ts';
import { objectReference } from './references.ts';

/** A condition on exit codes. */
export const podFailurePolicyOnExitCodesRequirement = message('A condition on exit codes.', {
  containerName: optionalString(1, 'The container; all by default.'),
  operator: string(2, 'Whether the code must be among the values.', { required: true, enum: ['In', 'NotIn'] }),
  values: list(3, 'int32', 'Exit codes.', { required: true, set: true }),
});

/** A condition on pod conditions. */
export const podFailurePolicyOnPodConditionsPattern = message('A condition on pod conditions.', {
  type: string(1, 'Type of the condition.', { required: true }),
  status: string(2, 'Its status.', { default: 'True' }),
});

/** What a failed pod means. */
export const podFailurePolicyRule = message('What a failed pod means.', {
  action: string(1, 'What happens.', { required: true, enum: ['Count', 'FailIndex', 'FailJob', 'Ignore'] }),
  onExitCodes: one(2, podFailurePolicyOnExitCodesRequirement, 'Applies to these exit codes.'),
  onPodConditions: list(3, podFailurePolicyOnPodConditionsPattern, 'Applies to these pod conditions.'),
});

/** What failed pods mean. */
export const podFailurePolicy = message('What failed pods mean.', {
  rules: list(1, podFailurePolicyRule, 'The first rule that applies counts.', { required: true }),
});

/** What makes a job succeed early. */
export const successPolicyRule = message('What makes a job succeed early.', {
  succeededIndexes: optionalString(1, 'Indexes that must succeed.'),
  succeededCount: optionalInt32(2, 'How many must succeed.', { minimum: 1 }),
});

/** What makes a job succeed early. */
export const successPolicy = message('What makes a job succeed early.', {
  rules: list(1, successPolicyRule, 'The rules.', { required: true }),
});

/** Pods that are to run to their end. */
export const jobSpec = message('Pods that are to run to their end.', {
  parallelism: optionalInt32(1, 'How many pods at a time.', { minimum: 0 }),
  completions: optionalInt32(2, 'How many pods must succeed.', { minimum: 0 }),
  activeDeadlineSeconds: optionalInt64(3, 'Longest run time.', { minimum: 0 }),
  podFailurePolicy: one(11, podFailurePolicy, 'What failed pods mean.'),
  successPolicy: one(16, successPolicy, 'What makes the job succeed early.'),
  backoffLimit: optionalInt32(7, 'Failures before giving up.', { default: 6, minimum: 0 }),
  backoffLimitPerIndex: optionalInt32(12, 'Failures of one index before giving it up.', { minimum: 0 }),
  maxFailedIndexes: optionalInt32(13, 'Failed indexes before giving up.', { minimum: 0 }),
  selector: one(4, labelSelector, 'Pods that belong to it; usually set by the system.'),
  manualSelector: optionalBool(5, 'Whether the selector was set by the user.'),
  template: one(6, podTemplateSpec, 'The pods to make.', { required: true }),
  ttlSecondsAfterFinished: optionalInt32(8, 'How long the finished job is kept.', { minimum: 0 }),
  completionMode: optionalString(9, 'Whether pods are numbered.', {
    default: 'NonIndexed',
    enum: ['Indexed', 'NonIndexed'],
  }),
  suspend: optionalBool(10, 'Whether the job waits.', { default: false }),
  podReplacementPolicy: optionalString(14, 'When a pod is replaced.', { enum: ['Failed', 'TerminatingOrFailed'] }),
  managedBy: optionalString(15, 'Controller that runs the job.'),
});

/** Ended pods that are not counted yet. */
export const uncountedTerminatedPods = message('Ended pods that are not counted yet.', {
  succeeded: list(1, 'string', 'UIDs of pods that succeeded.', { set: true }),
  failed: list(2, 'string', 'UIDs of pods that failed.', { set: true }),
});

/** State of one aspect of a job. */
export const jobCondition = condition('State of one aspect of a job.', {
  lastProbeTime: 3,
  lastTransitionTime: 4,
  reason: 5,
  message: 6,
});

/** What became of a job. */
export const jobStatus = message('What became of a job.', {
  conditions: list(1, jobCondition, 'States of the job.', { mergeKey: 'type' }),
  startTime: time(2, 'When it started.'),
  completionTime: time(3, 'When it succeeded.'),
  active: int32(4, 'Pods that run.'),
  succeeded: int32(5, 'Pods that succeeded.'),
  failed: int32(6, 'Pods that failed.'),
  terminating: optionalInt32(11, 'Pods that are going away.'),
  completedIndexes: string(7, 'Indexes that succeeded.'),
  failedIndexes: optionalString(10, 'Indexes that failed.'),
  uncountedTerminatedPods: one(8, uncountedTerminatedPods, 'Ended pods that are not counted yet.'),
  ready: optionalInt32(9, 'Pods that are ready.'),
});

/** A job to be made. */
export const jobTemplateSpec = message('A job to be made.', {
  metadata: one(1, objectMeta, 'Labels and annotations of the job.'),
  spec: one(2, jobSpec, 'What the job is to be.'),
});

/** Jobs by the clock. */
export const cronJobSpec = message('Jobs by the clock.', {
  schedule: string(1, 'When, in cron syntax.', { required: true }),
  timeZone: optionalString(8, 'Time zone of the schedule.'),
  startingDeadlineSeconds: optionalInt64(2, 'How late a job may start.', { minimum: 0 }),
  concurrencyPolicy: string(3, 'What happens if the last job still runs.', {
    default: 'Allow',
    enum: ['Allow', 'Forbid', 'Replace'],
  }),
  suspend: optionalBool(4, 'Whether no more jobs are made.', { default: false }),
  jobTemplate: one(5, jobTemplateSpec, 'The job to make.', { required: true }),
  successfulJobsHistoryLimit: optionalInt32(6, 'Successful jobs to keep.', { default: 3, minimum: 0 }),
  failedJobsHistoryLimit: optionalInt32(7, 'Failed jobs to keep.', { default: 1, minimum: 0 }),
});

/** What became of a cron job. */
export const cronJobStatus = message('What became of a cron job.', {
  active: list(1, objectReference, 'Jobs that run.'),
  lastScheduleTime: time(4, 'When a job was made last.'),
  lastSuccessfulTime: time(5, 'When a job succeeded last.'),
});
