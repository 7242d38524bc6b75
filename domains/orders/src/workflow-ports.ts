import type { KeyedMutex } from '@chandlery/platform';
import type { HttpAction, KillAction, Observation, StartAction } from '@chandlery/workflow';
import type { BlobStore, Reservation } from './ports.ts';

/** Which workflow something belongs to. */
export interface WorkflowIdentity {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
}

/** A node to run. */
export interface StartRequest {
  readonly workflow: WorkflowIdentity;
  /** The spec of the workflow, for its volumes. */
  readonly spec: Readonly<Record<string, unknown>>;
  readonly action: StartAction;
  /**
   * What is known of an earlier start. `none`: this is the first. `perhaps`: the server stopped before it was known whether
   * the node was started. `started`: it ran, and is lost when nothing of it is found.
   */
  readonly earlierStart: 'none' | 'perhaps' | 'started';
}

/** Receives what happens to nodes. Called in order for each node; must not throw. */
export type ObserveNode = (workflowUid: string, observation: Observation) => void;

/** Runs nodes. Everything may be called twice; what happens is reported to the observer. */
export interface NodeRunner extends AsyncDisposable {
  start(request: StartRequest): void;
  kill(workflow: WorkflowIdentity, action: KillAction): void;
  /** All nodes that run have been started again after a start of the server: what else is there may go. */
  settle(): void;
  /** The end of a node is stored: what is left of it may go. */
  release(workflowUid: string, node: string): void;
  /** Stops all nodes of a deleted workflow, and removes what they left: pods, files, logs, artifacts. */
  forget(workflow: WorkflowIdentity): Promise<void>;
}

/** Sends the requests of http templates. */
export interface HttpSender {
  send(action: HttpAction, signal: AbortSignal): Promise<Observation>;
}

/** What a container printed. */
export interface LogQuery {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

/** Stores what containers of nodes printed, for the time after their pods. */
export interface NodeLogs {
  /** Takes over lines that begin with their time. Replaces what was stored before. */
  write(workflowUid: string, query: LogQuery, lines: AsyncIterable<Uint8Array>): Promise<void>;
  /** Returns lines that begin with their time; undefined when nothing is stored. */
  read(query: LogQuery): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** Removes the logs of a workflow. */
  remove(workflowUid: string): Promise<void>;
}

/** Reads what a container prints while its pod exists. */
export type ReadPodLog = (request: {
  readonly pod: { readonly metadata: { readonly uid?: string; readonly name?: string } };
  readonly container: string;
  readonly stream?: 'stdout';
  readonly timestamps?: boolean;
}) => Promise<AsyncIterable<Uint8Array>>;

/** Where bytes of artifacts are kept, together with all other blobs. */
export interface ArtifactBytes {
  readonly blobs: BlobStore;
  /** Held while the blob of a digest is kept or removed, together with the records that refer to it. */
  readonly blobLocks: KeyedMutex<string>;
  /** Bytes of one artifact. */
  readonly maxBytes: number;
  /** Reserves bytes for a namespace of workflows. Throws `limit-exceeded`. */
  reserve(namespace: string, bytes: number): Reservation;
}

/** The artifact repository: bytes by namespace and key. */
export interface ArtifactStore {
  /** Stores the content of a file. Replaces what was stored under the key before. */
  put(workflow: WorkflowIdentity, key: string, file: string): Promise<void>;
  /** Writes the content into a new file of this machine. Returns whether there is any. */
  fetch(namespace: string, key: string, file: string): Promise<boolean>;
  /** Removes what a workflow stored. */
  remove(workflowUid: string): Promise<void>;
}
