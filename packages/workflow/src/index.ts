/**
 * Executes Argo Workflow documents in process.
 *
 * {@link runWorkflow} does everything. Those who store workflows use what is below it: {@link createExecution} and
 * {@link restoreExecution} give an {@link Execution}, a pure state machine that takes observations and returns what to
 * store and then to do; a {@link Runner} executes containers; {@link LockTable} holds the locks of all workflows;
 * {@link retryWorkflow} and {@link resubmitWorkflow} make new beginnings of old ends.
 */
export { type ResubmitOptions, resubmitWorkflow } from './again/resubmit-workflow.ts';
export { type RetriedWorkflow, type RetryOptions, retryWorkflow, type StoredWorkflow } from './again/retry-workflow.ts';
export { type ArtifactDriver, artifactDrivers } from './document/artifact-location.ts';
export type {
  Container,
  ContainerNode,
  ContainerSet,
  EnvVar,
  Script,
  UserContainer,
  Volume,
  VolumeMount,
} from './document/container.ts';
export {
  type CronSpec,
  type CronState,
  cronProblem,
  decideCron,
  isStopDue,
  missedTime,
  nextScheduledTime,
} from './document/cron/cron-workflow.ts';
export { mergeWorkflowTemplate } from './document/merge-workflow-template.ts';
export { nodeIdOf, podNameOf } from './document/node-ids.ts';
export type {
  Arguments,
  Artifact,
  ArtifactLocation,
  Inputs,
  Outputs,
  Parameter,
  ValueFrom,
} from './document/parameters.ts';
export { parseWorkflow } from './document/parse-workflow.ts';
export type * from './document/template.ts';
export type * from './document/workflow.ts';
export type * from './engine/actions.ts';
export { fieldsOf as nodeFieldsOf } from './engine/commands.ts';
export {
  createExecution,
  type Execution,
  type ExecutionOptions,
  restoreExecution,
  type Step,
  type StoredExecution,
} from './engine/execution.ts';
export type * from './engine/node-status.ts';
export type { NodeChange } from './engine/node-table.ts';
export type * from './engine/observations.ts';
export { WorkflowError, type WorkflowErrorCode, workflowErrorCodes } from './errors.ts';
export { compileExpression, type EvaluateOptions, type Expression, evaluateExpression } from './expressions/index.ts';
export { type LockAnswer, LockTable, type ReadLimit } from './locks/lock-table.ts';
export { SharedLocks } from './locks/shared-locks.ts';
export { MemoCache } from './memo-cache.ts';
export { type FinishedWorkflow, type RunWorkflowOptions, runWorkflow } from './run-workflow.ts';
export { type Behaviour, MemoryRunner } from './runner/memory-runner.ts';
export { ProcessRunner, type ProcessRunnerOptions } from './runner/process/process-runner.ts';
export type { Runner, RunReport, RunRequest } from './runner/runner.ts';
export { type ValidateOptions, validateWorkflow } from './validate/index.ts';
