import type { PlannedTask } from './dag-plan.ts';
import type { NodeValues } from './node-values.ts';

/** A task of a DAG that is being executed. */
export interface TaskState {
  readonly planned: PlannedTask;
  readonly dependents: TaskState[];
  /** Dependencies that are not done. */
  open: number;
  isDone: boolean;
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
  values: undefined,
  unreadable: undefined,
  ancestors: undefined,
});
