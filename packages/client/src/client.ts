import type { JsonObject, JsonValue, KubeObject } from '@chandlery/api';

/** Where a collection is. */
export interface ResourceRef {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** Undefined for cluster-scoped kinds, and for a list or watch over all namespaces. */
  readonly namespace?: string;
}

/** Where one object is, or a sub-resource of it such as `status`. */
export interface ObjectRef extends ResourceRef {
  readonly name: string;
  readonly subresource?: string;
}

export interface RequestOptions {
  /** Gives up with the signal's reason. Default: never. */
  readonly signal?: AbortSignal;
  /** Gives up with `Timeout`. Default: the connection's. */
  readonly timeoutMs?: number;
}

export interface WriteOptions extends RequestOptions {
  /** Default: the server's guess from the user agent. */
  readonly fieldManager?: string;
  /** Only checks. Default false. */
  readonly isDryRun?: boolean;
  /** Fields that the kind does not have are dropped, dropped with a warning, or rejected. Default: the server's, `Warn`. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

interface Selection {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
}

export interface ListOptions extends RequestOptions, Selection {
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** Default: no limit. */
  readonly limit?: number;
  /** From the `metadata.continue` of the page before. */
  readonly continue?: string;
}

export interface WatchOptions extends Selection {
  /** Ends the iteration without an error. Default: never. */
  readonly signal?: AbortSignal;
  /** Asks for `BOOKMARK` events. Default true. */
  readonly hasBookmarks?: boolean;
  /** After how long the server ends the watch. Default: as the server likes. */
  readonly timeoutSeconds?: number;
  /**
   * Starts with the present state, as of `resourceVersion` or later, and marks its end by a bookmark with the annotation
   * `k8s.io/initial-events-end`. Default: the present state comes first only without `resourceVersion`,
   * and its end is not marked. Servers may lack it: Kubernetes has it from 1.32 on.
   */
  readonly hasInitialEvents?: boolean;
  /**
   * Rejects with `WatchStalled` when for so long neither an event nor a bookmark came. Servers send bookmarks every
   * `bookmarkIntervalMs` or so, so that longer silence means a dead connection. Default: waits for ever.
   */
  readonly idleTimeoutMs?: number;
  /**
   * Whether the caller has this state of an object already: then no event is delivered for it, which saves a copy.
   * Called in the order of events; only for changes, and only by in-process clients.
   * Default: every event is delivered.
   */
  readonly isKnown?: (name: string, revision: number) => boolean;
}

export interface DeleteOptions extends RequestOptions {
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** Only checks. Default false. */
  readonly isDryRun?: boolean;
}

export interface MergePatch {
  readonly type: 'merge';
  readonly body: JsonObject;
}
export interface JsonPatch {
  readonly type: 'json';
  readonly body: JsonValue[];
}
/** For built-in kinds only. */
export interface StrategicPatch {
  readonly type: 'strategic';
  readonly body: JsonObject;
}
/** Server-side apply; needs `fieldManager`. */
export interface ApplyPatch {
  readonly type: 'apply';
  readonly body: KubeObject;
  /** Takes fields that others own. Default false. */
  readonly force?: boolean;
}
/** A change in one of the forms that Kubernetes knows. */
export type PatchBody = MergePatch | JsonPatch | StrategicPatch | ApplyPatch;

/** A page of a collection. */
export interface KubeList<T extends KubeObject = KubeObject> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly T[];
}

/** Something that happened. A bookmark only says how far the watch has come. */
export interface WatchEvent<T extends KubeObject = KubeObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: T;
}

export interface RawOptions extends RequestOptions {
  /** Default GET. */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The body of the answer is a stream that may be silent for as long as it likes. Default false. */
  readonly isEndless?: boolean;
  /** Takes the path from the root of the server, not from below the connection's prefix. Default false. */
  readonly isFromRoot?: boolean;
  /** Status codes that are answers and not errors, besides 2xx. Default none. */
  readonly accept?: readonly number[];
}

/** A response. Its body is read once, whole or in pieces; a caller that does not need it discards it by `text`. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
  text(): Promise<string>;
  json(): Promise<unknown>;
}

/**
 * The resources of one Kubernetes API. All calls reject with `ChandleryError`: the server's reason as code, or one of
 * `clientErrorCodes`. What a call answers belongs to the caller, who may change it; what it is given stays as it is.
 * Only answers of 429 with Retry-After are retried; anything else is the caller's decision.
 */
export interface Client extends AsyncDisposable {
  get<T extends KubeObject = KubeObject>(ref: ObjectRef, options?: RequestOptions): Promise<T>;
  list<T extends KubeObject = KubeObject>(ref: ResourceRef, options?: ListOptions): Promise<KubeList<T>>;
  /** All pages of a list, one object after the other. */
  listAll<T extends KubeObject = KubeObject>(ref: ResourceRef, options?: ListOptions): AsyncIterable<T>;
  create<T extends KubeObject = KubeObject>(
    ref: ResourceRef | ObjectRef,
    object: T,
    options?: WriteOptions,
  ): Promise<T>;
  update<T extends KubeObject = KubeObject>(ref: ObjectRef, object: T, options?: WriteOptions): Promise<T>;
  patch<T extends KubeObject = KubeObject>(ref: ObjectRef, patch: PatchBody, options?: WriteOptions): Promise<T>;
  /** Returns the object while finalizers keep it, otherwise a Status. */
  delete(ref: ObjectRef, options?: DeleteOptions): Promise<KubeObject>;
  /**
   * Yields the changes since `resourceVersion`, or the present objects and then their changes. Ends when the server or the
   * signal ends it; rejects with `Expired` or `Gone` after compaction of the history, with `ConnectionFailed` when the
   * connection is cut. Does not reconnect: that is the caller's decision.
   */
  watch<T extends KubeObject = KubeObject>(ref: ResourceRef, options?: WatchOptions): AsyncIterable<WatchEvent<T>>;
}

/** A client that talks to a server, and can ask it for more than resources. */
export interface HttpClient extends Client {
  /** Any other request. The path starts with a slash. */
  raw(path: string, options?: RawOptions): Promise<RawResponse>;
}
