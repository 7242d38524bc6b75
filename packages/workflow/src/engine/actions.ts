import type { Outputs } from '../document/parameters.ts';
import type { HttpRequest, Template } from '../document/template.ts';

/** Between SIGTERM and SIGKILL, as for a pod. */
export const graceSeconds = 30;

/** Starts the containers of a template. The node is known by its name, which is unique in the workflow. */
export interface StartAction {
  readonly kind: 'start';
  readonly node: string;
  readonly nodeId: string;
  readonly podName: string;
  /** With all tags replaced. */
  readonly template: Template;
  /** 0 for the first attempt. */
  readonly attempt: number;
  /** Whether the standard output is referenced. */
  readonly captureResult: boolean;
  readonly isExitHandler: boolean;
  /** Keeps running until it is killed; reported as started when it is ready. */
  readonly isDaemon: boolean;
}

export interface KillAction {
  readonly kind: 'kill';
  readonly node: string;
  readonly podName: string;
  /** Between SIGTERM and SIGKILL. */
  readonly graceSeconds: number;
  readonly reason: string;
}

export interface HttpAction {
  readonly kind: 'http';
  readonly node: string;
  readonly request: HttpRequest;
}

/** Asks for an observation `tick` at a time, in milliseconds since the epoch. The last one given counts. */
export interface TimerAction {
  readonly kind: 'wakeAt';
  readonly time: number;
}

export interface LockRequest {
  /** `<namespace>/Mutex/<name>` or `<namespace>/ConfigMap/<name>/<key>`. */
  readonly name: string;
  readonly kind: 'mutex' | 'semaphore';
}

/** Asks for all of some locks at once. Asking again changes nothing. */
export interface AcquireAction {
  readonly kind: 'acquire';
  readonly holder: string;
  readonly locks: readonly LockRequest[];
  readonly priority: number;
  readonly requestedAt: number;
  /** The holder had the locks before the execution was restored. */
  readonly isHeld: boolean;
}

export interface ReleaseAction {
  readonly kind: 'release';
  readonly holder: string;
}

export interface MemoGetAction {
  readonly kind: 'memoGet';
  readonly node: string;
  readonly cache: string;
  readonly key: string;
  readonly maxAgeMs?: number;
}

export interface MemoPutAction {
  readonly kind: 'memoPut';
  readonly node: string;
  readonly cache: string;
  readonly key: string;
  readonly outputs: Outputs | undefined;
}

/** What the world must do. Each is carried out after the changes of the same step have been stored. */
export type Action =
  | StartAction
  | KillAction
  | HttpAction
  | TimerAction
  | AcquireAction
  | ReleaseAction
  | MemoGetAction
  | MemoPutAction;
