import type { Observation } from './observations.ts';

/** Part of an execution that waits for the world. */
export interface Receiver {
  readonly observe: (observation: Observation) => void;
  /** Ends the node because the workflow is stopped or its deadline has passed. */
  readonly abort?: (cause: 'shutdown' | 'deadline') => void;
  /** Ends the processes of the node, which ends itself when they have. */
  readonly kill?: (reason: string) => void;
  readonly isExitHandler: boolean;
}
