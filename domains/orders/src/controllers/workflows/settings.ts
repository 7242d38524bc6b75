/** Limits of the workflow controller. */
export interface WorkflowSettings {
  /** Workflows that run at once. Default: no limit. */
  readonly maxRunning?: number;
  /** Workflows that run at once in one namespace. Default: no limit. */
  readonly maxRunningPerNamespace?: number;
}

/**
 * Work of one step of an execution. More would hold up everything else in the process: what one step changes is one
 * commit.
 */
export const maxStepWork = 50;

/** Up to so many nodes, a Workflow is written with every change. */
const smallWorkflow = 50;
const intervalPerNodeMs = 0.5;
const maxIntervalMs = 5000;

/** The interval at which the Workflow object is written while its nodes change. */
export const touchIntervalMs = (nodeCount: number): number =>
  nodeCount <= smallWorkflow ? 0 : Math.min(maxIntervalMs, nodeCount * intervalPerNodeMs);
