import type { FeedEvent } from './feed-event.ts';

/** What a subscriber wants to see. Fewer watchers are asked the more is given. */
export interface FeedScope {
  /** Undefined: every logical cluster. */
  readonly cluster?: string;
  /** Undefined: every resource (then nothing else may be given). */
  readonly resource?: string;
  /** Undefined: all namespaces. */
  readonly namespace?: string;
  /** Only with a cluster and a namespace (empty for cluster-scoped objects). */
  readonly name?: string;
}

/**
 * Called with events in revision order. Must not throw and must return quickly. A promise slows down the reading of
 * history in {@link ChangeFeed.follow}, which can wait; live events cannot.
 */
export type FeedListener = (events: readonly FeedEvent[]) => void | Promise<void>;

/** Listeners by what they want to see. */
export class ScopedListeners {
  readonly #listeners = new Map<string, Set<FeedListener>>();
  readonly #onFailure: (error: unknown) => void;

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** Returns the function that ends it. */
  add(scope: FeedScope, listener: FeedListener): () => void {
    const key = keyOfScope(scope);
    const listeners = this.#listeners.get(key) ?? new Set();
    listeners.add(listener);
    this.#listeners.set(key, listeners);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(key) === listeners) this.#listeners.delete(key);
    };
  }

  /** Groups the batch per listener set, so that a watcher is called once however many events it gets. */
  deliver(events: readonly FeedEvent[]): void {
    if (events.length === 0) return;
    const batches = new Map<Set<FeedListener>, FeedEvent[]>();
    const everything = this.#listeners.get('');
    if (everything !== undefined) batches.set(everything, [...events]);
    for (const event of events) {
      for (const key of keysOfEvent(event)) {
        const listeners = this.#listeners.get(key);
        if (listeners === undefined) continue;
        const batch = batches.get(listeners);
        if (batch === undefined) batches.set(listeners, [event]);
        else batch.push(event);
      }
    }
    for (const [listeners, batch] of batches) for (const listener of [...listeners]) this.#tell(listener, batch);
  }

  #tell(listener: FeedListener, events: readonly FeedEvent[]): void {
    try {
      void listener(events)?.catch(this.#onFailure);
    } catch (error) {
      this.#onFailure(error);
    }
  }
}

function keyOfScope({ cluster, resource, namespace, name }: FeedScope): string {
  if (resource === undefined) return '';
  if (cluster === undefined) return `*|${resource}`;
  if (namespace === undefined) return `${cluster}|${resource}`;
  return name === undefined ? `${cluster}|${resource}|${namespace}` : `${cluster}|${resource}|${namespace}|${name}`;
}

function keysOfEvent({ change: { key } }: FeedEvent): readonly string[] {
  const collection = `${key.cluster}|${key.resource}`;
  return [
    `*|${key.resource}`,
    collection,
    `${collection}|${key.namespace}`,
    `${collection}|${key.namespace}|${key.name}`,
  ];
}

/** Whether an object of the scope's resource is in it. */
export const isInScope = (scope: FeedScope, key: { cluster: string; namespace: string; name: string }): boolean =>
  (scope.cluster === undefined || scope.cluster === key.cluster) &&
  (scope.namespace === undefined || scope.namespace === key.namespace) &&
  (scope.name === undefined || scope.name === key.name);
