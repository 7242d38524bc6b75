import type { Condition } from '@chandlery/api';
import type { ProbeKind } from './pod.ts';

/** How one probe of a running container has gone so far. */
export interface ProbeRecord {
  /** The answer once a threshold was reached; before that nobody knows. */
  readonly passing?: boolean;
  readonly successes: number;
  readonly failures: number;
  readonly isBusy: boolean;
  readonly lastAtMs?: number;
  readonly message?: string;
}

/** How far the end of a running container has come. */
export interface Stopping {
  readonly killAtMs: number;
  readonly preStop: 'due' | 'running' | 'done';
  readonly isTermSent: boolean;
  readonly isKilled: boolean;
}

/** A process that was started and has not ended. */
export interface Running {
  readonly startedAtMs: number;
  readonly stopping?: Stopping;
  readonly probes: Readonly<Partial<Record<ProbeKind, ProbeRecord>>>;
}

/** How a process ended. */
export interface Finished {
  readonly attempt: number;
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  readonly exitCode: number;
  readonly signal?: number;
  readonly reason: string;
  readonly message?: string;
}

/** Why a container could not be made, and since when. */
export interface PreparationFailure {
  readonly reason: 'ErrImagePull' | 'CreateContainerConfigError';
  readonly message: string;
  readonly atMs: number;
  readonly attempts: number;
  /** `due`: to be tried again at once; `busy`: being tried again. Default: after the back-off. */
  readonly retry?: 'due' | 'busy';
}

/** What is known of one container. */
export interface ContainerObservation {
  /** `due`: to be made before its next start. */
  readonly preparation: 'due' | 'busy' | 'ready' | PreparationFailure;
  readonly running?: Running;
  readonly finished?: Finished;
  /** The end before `finished`. */
  readonly earlier?: Finished;
  /** Number of the next or current process, from 0: the restart count once it runs. */
  readonly attempt: number;
  /** Restarts since the container last ran long enough to be trusted. */
  readonly crashes: number;
}

/** What is known of a pod: everything a decision rests on besides the spec and the time. */
export interface PodObservation {
  readonly startedAtMs: number;
  /** Somebody asked for the end of the pod. */
  readonly stop?: { readonly sinceMs: number; readonly graceMs: number };
  readonly containers: Readonly<Record<string, ContainerObservation>>;
  /** Limits of the pod that the node does not enforce, to be reported. Default: nothing is reported. */
  readonly unenforced?: readonly string[];
  /** As last reported, for their transition times. */
  readonly conditions: readonly Condition[];
}

/** A container nobody has touched. */
export const newContainer: ContainerObservation = { preparation: 'due', attempt: 0, crashes: 0 };

/** A container of a pod, known or not yet. */
export const observedContainer = (observed: PodObservation, name: string): ContainerObservation =>
  observed.containers[name] ?? newContainer;
