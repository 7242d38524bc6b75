import type { Condition } from '@chandlery/api';

export interface WaitingState {
  readonly reason: string;
  readonly message?: string;
}

export interface TerminatedState {
  readonly exitCode: number;
  readonly signal?: number;
  readonly reason: string;
  readonly message?: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly containerID: string;
}

/** Exactly one of the three. */
export interface ContainerState {
  readonly waiting?: WaitingState;
  readonly running?: { readonly startedAt: string };
  readonly terminated?: TerminatedState;
}

export interface ContainerStatus {
  readonly name: string;
  readonly image: string;
  readonly imageID: string;
  readonly containerID?: string;
  readonly state: ContainerState;
  readonly lastState: ContainerState;
  readonly ready: boolean;
  readonly started: boolean;
  readonly restartCount: number;
}

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

/** The status of a pod as the node reports it. The API sets `qosClass`. */
export interface PodStatus {
  readonly phase: PodPhase;
  readonly reason?: string;
  readonly message?: string;
  readonly startTime: string;
  readonly hostIP: string;
  readonly hostIPs: readonly { readonly ip: string }[];
  readonly podIP: string;
  readonly podIPs: readonly { readonly ip: string }[];
  readonly conditions: readonly Condition[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly containerStatuses: readonly ContainerStatus[];
}

/** Whether nothing of the pod will run again. */
export const isOver = (phase: PodPhase): boolean => phase === 'Succeeded' || phase === 'Failed';
