import type { KubeObject } from '@chandlery/api';
import type { PodStatus } from './model/pod-status.ts';

/** The values that a pod's ConfigMap and Secret references stand for, by object and key. Missing objects are left out. */
export interface PodSources {
  readonly secrets: Readonly<Record<string, Readonly<Record<string, Uint8Array>>>>;
  readonly configMaps: Readonly<Record<string, Readonly<Record<string, Uint8Array>>>>;
}

/** Gives tokens to pods' service accounts, for projected volumes. */
export interface PodTokens {
  /** Called again when four fifths of the token's life are over. */
  issueToken(
    pod: { readonly uid: string; readonly name: string; readonly namespace: string; readonly serviceAccount: string },
    request: { readonly audience: string | undefined; readonly expirationSeconds: number },
  ): Promise<string>;
}

/** Which part of which log. */
export interface LogRequest {
  readonly uid: string;
  readonly container: string;
  /** Go on until the container ends. Default false. */
  readonly follow?: boolean;
  /** Only the last lines. Default: all. */
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
  /** RFC 3339; an alternative to `sinceSeconds`. */
  readonly sinceTime?: string;
  /** Put RFC 3339 times with nine digits before each line. Default false. */
  readonly timestamps?: boolean;
  /** The process before the current one. Default false. */
  readonly previous?: boolean;
  readonly limitBytes?: number;
  readonly signal?: AbortSignal;
}

/** Called with every change of a pod's status, in order. */
export type StatusListener = (uid: string, status: PodStatus) => void;

/** What runs pods. Implemented by the process node; a controller connects it to an API. */
export interface PodNode extends AsyncDisposable {
  /**
   * Starts to run a pod and returns at once. Called again for a pod that runs, it renews sources, labels and annotations.
   * A pod whose own status says that it is over is only remembered.
   */
  runPod(pod: KubeObject, sources: PodSources): void;
  /** Ends a pod and waits until no process of it is left. Status and logs stay. May be called twice; unknown pods are no error. */
  stopPod(uid: string, graceSeconds: number): Promise<void>;
  /** Kills what is left of a pod and deletes its folder. */
  removePod(uid: string): Promise<void>;
  statusOf(uid: string): PodStatus | undefined;
  /** Returns how to stop listening. */
  onStatus(listener: StatusListener): () => void;
  /** Refuses with `NotFound` or `BadRequest` when there is no such log. */
  readLog(request: LogRequest): AsyncIterable<Uint8Array>;
  /** Uids of the pods it knows. */
  list(): readonly string[];
  /** Uids whose folders an earlier life left behind and nobody has run since. */
  listLeftovers(): readonly string[];
}
