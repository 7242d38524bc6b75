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

/** Several places of one collection: whole namespaces, or single objects of them. */
export interface FeedPart {
  readonly namespace: string;
  readonly names?: readonly string[];
}

/**
 * Called with events in revision order. Must not throw and must return quickly. A promise slows down the reading of
 * history in {@link ChangeFeed.follow}, which can wait; live events cannot.
 */
export type FeedListener = (events: readonly FeedEvent[]) => void | Promise<void>;

/** Those who listen at a place, and the places within it. */
interface Place {
  readonly listeners: Set<FeedListener>;
  readonly within: Map<string, Place>;
}

const newPlace = (): Place => ({ listeners: new Set(), within: new Map() });

/**
 * Listeners by scope: a tree of resources, their clusters, namespaces and names. An event walks down
 * only branches that have listeners, so listeners of other scopes cost it nothing.
 */
export class ScopedListeners {
  readonly #everything = newPlace();
  readonly #onFailure: (error: unknown) => void;
  #size = 0;

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** Returns the function that ends it. */
  add(scope: FeedScope, listener: FeedListener): () => void {
    const path = pathOf(scope);
    const { listeners } = find(this.#everything, path);
    listeners.add(listener);
    this.#size++;
    return () => {
      if (listeners.delete(listener)) this.#size--;
      prune(this.#everything, path);
    };
  }

  /** How many there are. */
  get size(): number {
    return this.#size;
  }

  /** Groups the batch by place, so that a watcher is called once however many events it gets. */
  deliver(events: readonly FeedEvent[]): void {
    const batches = new Map<Set<FeedListener>, FeedEvent[]>();
    for (const event of events) gather(batches, this.#everything, event);
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

/** From the tree's root to the scope's place. */
function pathOf({ cluster, resource, namespace, name }: FeedScope): readonly string[] {
  const path: string[] = [];
  for (const step of [resource, cluster, namespace, name]) {
    if (step === undefined) break;
    path.push(step);
  }
  return path;
}

/** The place at the end of a path, made where it is missing. */
function find(start: Place, path: readonly string[]): Place {
  let place = start;
  for (const step of path) {
    const next = place.within.get(step) ?? newPlace();
    place.within.set(step, next);
    place = next;
  }
  return place;
}

/** Removes the branches along a path that have no listeners any more. */
function prune({ within }: Place, [step, ...rest]: readonly string[]): void {
  const place = step === undefined ? undefined : within.get(step);
  if (step === undefined || place === undefined) return;
  prune(place, rest);
  if (place.listeners.size === 0 && place.within.size === 0) within.delete(step);
}

/** Adds an event to the batches of all places that it passes. */
function gather(batches: Map<Set<FeedListener>, FeedEvent[]>, start: Place, event: FeedEvent): void {
  const { resource, cluster, namespace, name } = event.change.key;
  let place: Place | undefined = start;
  for (const step of [resource, cluster, namespace, name]) {
    addTo(batches, place.listeners, event);
    place = place.within.get(step);
    if (place === undefined) return;
  }
  addTo(batches, place.listeners, event);
}

function addTo(batches: Map<Set<FeedListener>, FeedEvent[]>, listeners: Set<FeedListener>, event: FeedEvent): void {
  if (listeners.size === 0) return;
  const batch = batches.get(listeners);
  if (batch === undefined) batches.set(listeners, [event]);
  else batch.push(event);
}

/** The scopes of parts of a collection. */
export const scopesOfParts = (collection: FeedScope, parts: readonly FeedPart[]): readonly FeedScope[] =>
  parts.flatMap(({ namespace, names }): readonly FeedScope[] =>
    names === undefined ? [{ ...collection, namespace }] : names.map(name => ({ ...collection, namespace, name })),
  );

/** Whether an object of the scope's resource is in it. */
export const isInScope = (scope: FeedScope, key: { cluster: string; namespace: string; name: string }): boolean =>
  (scope.cluster === undefined || scope.cluster === key.cluster) &&
  (scope.namespace === undefined || scope.namespace === key.namespace) &&
  (scope.name === undefined || scope.name === key.name);
