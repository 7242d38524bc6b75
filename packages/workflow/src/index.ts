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
export { parseWorkflow } from './document/parse-workflow.ts';
export type * from './engine/actions.ts';
export { createExecution, type Execution, restoreExecution, type Step } from './engine/execution.ts';
export type * from './engine/node-status.ts';
export type * from './engine/observations.ts';
export { LockTable } from './locks/lock-table.ts';
