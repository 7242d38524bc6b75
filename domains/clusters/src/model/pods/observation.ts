import type { Condition } from '@chandlery/api';
import type { ProbeKind } from './pod.ts';

/** The results of one probe of a running container. */
export interface ProbeRecord {
  /** The result once a threshold was reached; undefined before. */
  readonly passing?: boolean;
  readonly successes: number;
  readonly failures: number;
  readonly isBusy: boolean;
  readonly lastAtMs?: number;
  readonly message?: string;
}

/** The progress of stopping a running container. */
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
export interface FinishedProcess {
  readonly attempt: number;
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  readonly exitCode: number;
  readonly signal?: number;
  readonly reason: string;
  readonly message?: string;
}

/** Why a container could not be prepared, and since when. */
export interface PreparationFailure {
  readonly reason: 'ErrImagePull' | 'CreateContainerConfigError';
  readonly message: string;
  readonly atMs: number;
  readonly attempts: number;
  /** `due`: to be retried at once; `busy`: being retried. Default: after the back-off. */
  readonly retry?: 'due' | 'busy';
}

/** The observed state of one container. */
export interface ContainerObservation {
  /** `due`: to be prepared before its next start. */
  readonly preparation: 'due' | 'busy' | 'ready' | PreparationFailure;
  readonly running?: Running;
  readonly finished?: FinishedProcess;
  /** The exit before `finished`. */
  readonly earlier?: FinishedProcess;
  /** Number of the next or current process, from 0: the restart count once it runs. */
  readonly attempt: number;
  /** Restarts since the container last ran long enough. */
  readonly crashes: number;
}

/** The observed state of a pod: the input of a decision besides the spec and the time. */
export interface PodObservation {
  readonly startedAtMs: number;
  /** A requested stop of the pod. */
  readonly stop?: { readonly sinceMs: number; readonly graceMs: number };
  readonly containers: Readonly<Record<string, ContainerObservation>>;
  /** Limits of the pod that the node does not enforce, to be reported. Default: none. */
  readonly unenforced?: readonly string[];
  /** As last reported, for their transition times. */
  readonly conditions: readonly Condition[];
}

/** A container that was not prepared yet. */
export const newContainer: ContainerObservation = { preparation: 'due', attempt: 0, crashes: 0 };

/** The state of a pod's container, known or not. */
export const observedContainer = (observed: PodObservation, name: string): ContainerObservation =>
  observed.containers[name] ?? newContainer;
