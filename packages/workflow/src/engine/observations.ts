import type { Artifact, Outputs } from '../document/parameters.ts';
import type { NodePhase } from './node-status.ts';

/** The containers of a node run; those of a daemon are ready. */
export interface Started {
  readonly kind: 'started';
  readonly node: string;
  readonly podIP?: string;
  readonly hostNodeName?: string;
}

export interface Ended {
  readonly kind: 'ended';
  readonly node: string;
  readonly exitCode: number;
  /** Replaces the message that follows from the exit code. */
  readonly message?: string;
  /** The standard output, when it was asked for. */
  readonly result?: string;
  /** Contents of the files of output parameters; those that do not exist are absent. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Artifacts that were stored, with their location. */
  readonly artifacts?: readonly Artifact[];
  readonly isOutOfMemory?: boolean;
  /** Exit codes of the containers of a set; absent for those that never ran. */
  readonly containers?: Readonly<Record<string, number>>;
}

/** The node's containers vanished, or could not be started: the platform's fault. */
export interface Lost {
  readonly kind: 'lost';
  readonly node: string;
  readonly message: string;
}

export interface HttpResponse {
  readonly kind: 'response';
  readonly node: string;
  readonly statusCode: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, readonly string[]>>;
}

export interface HttpFailure {
  readonly kind: 'noResponse';
  readonly node: string;
  readonly message: string;
}

export interface LockGranted {
  readonly kind: 'lockGranted';
  readonly holder: string;
}

export interface LockWaiting {
  readonly kind: 'lockWaiting';
  readonly holder: string;
  readonly lock: string;
  readonly message: string;
}

export interface LockFailed {
  readonly kind: 'lockFailed';
  readonly holder: string;
  readonly message: string;
}

/** The answer to `memoGet`; without outputs nothing was found. */
export interface MemoRead {
  readonly kind: 'memo';
  readonly node: string;
  readonly outputs?: Outputs;
}

export type Command =
  | { readonly name: 'suspend' }
  /** Lets the workflow start work again; suspended nodes stay so. */
  | { readonly name: 'unsuspend' }
  | { readonly name: 'resume'; readonly selector?: string; readonly message?: string }
  | {
      readonly name: 'set';
      readonly selector: string;
      readonly parameters?: Readonly<Record<string, string>>;
      readonly phase?: NodePhase;
      readonly message?: string;
    }
  | { readonly name: 'stop' }
  | { readonly name: 'terminate' };

export type Observation =
  | Started
  | Ended
  | Lost
  | HttpResponse
  | HttpFailure
  | LockGranted
  | LockWaiting
  | LockFailed
  | MemoRead
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'tick' };
