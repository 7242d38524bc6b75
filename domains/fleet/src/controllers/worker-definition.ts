import { type InstanceState, instanceStates } from '../kinds/index.ts';
import type { InstanceRow } from '../registry/fleet-registry.ts';
import type { InstanceWorkerName } from './fleet-extension.ts';
import type { InstanceStep } from './instance-step.ts';
import type { WorkerDeps } from './worker-deps.ts';

/** Adds instances to the queue of a worker. */
export type Enqueue = (row: InstanceRow) => void;

/** One of the seven workers. */
export interface InstanceWorkerDefinition {
  readonly name: InstanceWorkerName;
  /** Of the instances that it works on; `unadmitted` are those that have none yet. */
  readonly states: readonly (InstanceState | 'unadmitted')[];
  /** A further condition. Default: all of those states. */
  readonly isMine?: (row: InstanceRow) => boolean;
  readonly steps: readonly InstanceStep[];
  /** The states whose deadlines are this worker's to watch. Default: none. */
  readonly deadlinesIn?: readonly InstanceState[];
  /** Listens to other tables and adds the instances that they concern. Returns how to stop. Default: none. */
  readonly listen?: (deps: WorkerDeps, enqueue: Enqueue) => () => void;
}

/** Whether an instance is one of the worker's. */
export function isMine({ states, isMine: further }: InstanceWorkerDefinition, row: InstanceRow): boolean {
  return states.includes(row.status.state ?? 'unadmitted') && further?.(row) !== false;
}

/** All states that are not over. */
export const everyState: readonly (InstanceState | 'unadmitted')[] = ['unadmitted', ...instanceStates];
