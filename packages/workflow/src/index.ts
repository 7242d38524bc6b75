/**
 * Executes Argo Workflow documents in process.
 */
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
  type ConcurrencyPolicy,
  type CronDecision,
  type CronSpec,
  type CronState,
  cronProblem,
  decideCron,
  isStopDue,
  missedTime,
  nextScheduledTime,
} from './document/cron/cron-workflow.ts';
export type {
  Arguments,
  Artifact,
  ArtifactLocation,
  Inputs,
  Outputs,
  Parameter,
  ValueFrom,
} from './document/parameters.ts';
export type * from './document/template.ts';
export type * from './document/workflow.ts';
export { WorkflowError, type WorkflowErrorCode, workflowErrorCodes } from './errors.ts';
export {
  compileExpression,
  type Environment,
  type EvaluateOptions,
  type Expression,
  evaluateDepends,
  evaluateExpression,
  evaluateWhen,
  insertedText,
  parseDepends,
  referencedPaths,
} from './expressions/index.ts';
export { type ArtifactDriver, artifactDrivers, type ValidateOptions, validateWorkflow } from './validate/index.ts';
