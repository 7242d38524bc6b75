import type { ChandleryError, KubeObject } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import type { Clock } from '@chandlery/platform';
import type { BackOffOptions } from '../queue/back-off.ts';
import type { Timers } from '../queue/timers.ts';

/** The values under which an object is found in an index; none leaves it out. */
export type IndexFunction<T extends KubeObject = KubeObject> = (object: T) => readonly string[];

/** How an addition or update became known. */
export interface ChangeInfo {
  /** It comes from a list and not from a live change: the first list, a re-list, or the present state for a late listener. */
  readonly isFromList: boolean;
}

/** How a deletion became known. */
export interface DeleteInfo {
  /** False when a re-list lacked the object: the object given is the last state seen, not the final one. */
  readonly isFinalStateKnown: boolean;
}

/**
 * Gets the changes of objects: for each object one `added`, any number of `updated`, one `deleted`, and so on. An object
 * that was replaced by another one of the same name (another uid) is first deleted, then added. The cache already shows
 * the change when a listener is called. Listeners return quickly; what they throw goes to `onError`.
 */
export interface InformerListener<T extends KubeObject = KubeObject> {
  added?(object: T, info: ChangeInfo): void;
  updated?(object: T, previous: T, info: ChangeInfo): void;
  deleted?(object: T, info: DeleteInfo): void;
}

/**
 * A copy of a collection, kept up to date by a watch.
 *
 * **Objects are shared and deeply frozen**: clone one to change it (`structuredClone`).
 */
export interface Informer<T extends KubeObject = KubeObject> extends AsyncDisposable {
  readonly ref: ResourceRef;
  /** Resolves when the first list is in the cache and delivered to listeners; rejects with `Stopped` if stopped before. */
  readonly synced: Promise<void>;
  readonly isSynced: boolean;
  /** How far the cache has come; empty before the first list. */
  readonly lastSyncResourceVersion: string;
  /** How many objects there are. */
  readonly size: number;
  /** Starts to list and watch. Calling it again does nothing; after `stop` it rejects with `Stopped`. */
  start(): void;
  /** Ends the list or watch and resolves when no listener is called any more. The cache stays readable. */
  stop(): Promise<void>;
  /** The namespace is undefined or empty for cluster-scoped objects. */
  get(namespace: string | undefined, name: string): T | undefined;
  /** All objects, or those of a namespace. */
  list(namespace?: string): readonly T[];
  /** Objects for which the index has the value. Throws `UnknownIndex` for a name that was not declared. */
  byIndex(name: string, value: string): readonly T[];
  /** Declares an index, filled from what is there. Declaring the same function again does nothing. */
  addIndex(name: string, valuesOf: IndexFunction<T>): void;
  /** Adds a listener and calls it at once with the present objects. Returns the function that removes it. */
  listen(listener: InformerListener<T>): () => void;
}

/** What an informer watches and how. */
export interface InformerOptions<T extends KubeObject = KubeObject> {
  /** Not disposed of by the informer. */
  readonly client: Client;
  readonly ref: ResourceRef;
  /** Default: everything. */
  readonly labelSelector?: string;
  /** Default: everything. */
  readonly fieldSelector?: string;
  /** Default: none; the one by namespace is built in. */
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>;
  /** What is kept of an object, such as `withoutManagedFields`. Returns a new object: the given one may be shared. */
  readonly transform?: (object: T) => T;
  /** Reads everything as the first events of the watch, if the server can; else by lists. Default true. */
  readonly hasInitialEvents?: boolean;
  /** Objects in one page of a list. Default 500. */
  readonly pageSize?: number;
  /** A watch without any event, bookmarks included, for so long is reopened. Default `watchIdleTimeoutMs`. */
  readonly idleMs?: number;
  /** A watch is ended by the server after this time up to its double. Default 300. */
  readonly watchSeconds?: number;
  /** Between attempts. Default: 200 ms doubled up to 30 s, the half of it left to chance. */
  readonly backOff?: BackOffOptions;
  /** Called with failures; the informer recovers by itself. Must not throw. Default: failures are ignored. */
  readonly onError?: (error: ChandleryError) => void;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Default: the process's. */
  readonly timers?: Timers;
  /** From 0 up to but not 1. Default `Math.random`. */
  readonly random?: () => number;
}
