import type { DagTask } from '../document/template.ts';
import type { Call } from './call.ts';
import type { PlannedTask } from './dag-plan.ts';
import type { NodeHooks } from './hooks.ts';
import type { NodeStatus } from './node-status.ts';
import type { NodeValues } from './node-values.ts';

/** One execution of a task: the task itself, or one item of its loop. */
export interface TaskChild {
  readonly call: Call;
  readonly hooks: NodeHooks;
  isDone: boolean;
}

/** A task of a dag that is being executed. */
export interface TaskState {
  readonly planned: PlannedTask;
  readonly dependents: TaskState[];
  /** Dependencies that are not done. */
  open: number;
  isDone: boolean;
  hooks: NodeHooks | undefined;
  /** Those of a loop that are not done. */
  openChildren: number;
  values: NodeValues | undefined;
  /** Why the outputs of this task or one before it cannot be read. */
  unreadable: string | undefined;
  ancestors: ReadonlySet<string> | undefined;
}

export const newTaskState = (planned: PlannedTask, open: number): TaskState => ({
  planned,
  dependents: [],
  open,
  isDone: false,
  hooks: undefined,
  openChildren: 0,
  values: undefined,
  unreadable: undefined,
  ancestors: undefined,
});

/** Whether a failure of a task lets the DAG continue. */
export const continuesOn = ({ continueOn }: DagTask, phase: NodeStatus['phase']): boolean =>
  (phase === 'Failed' && continueOn?.failed === true) || (phase === 'Error' && continueOn?.error === true);
