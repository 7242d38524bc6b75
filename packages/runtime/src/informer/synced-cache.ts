import type { KubeObject } from '@chandlery/api';
import type { WatchEvent } from '@chandlery/client';
import { Emitter } from '@chandlery/platform';
import type { InformerListener } from './informer.ts';
import { cacheKeyOf, ObjectCache } from './object-cache.ts';

type Change<T extends KubeObject> = WatchEvent<T> & { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' };

/** A cache that accepts lists and events in any order, repeated or late, and notifies listeners of actual changes. */
export class SyncedCache<T extends KubeObject> {
  readonly objects: ObjectCache<T>;
  readonly listeners: Listeners<T>;
  #resourceVersion = '';

  constructor(onFailure: (thrown: unknown) => void) {
    this.objects = new ObjectCache(onFailure);
    this.listeners = new Listeners(onFailure);
  }

  /** How far the cache has come. */
  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  /** Takes a whole list: objects that it lacks were deleted while no watch was open. */
  replace(items: readonly T[], resourceVersion: string): void {
    const present = new Map(items.map(object => [cacheKeyOf(object), object]));
    for (const key of [...this.objects.keys()]) if (!present.has(key)) this.#remove(key, undefined);
    this.#resourceVersion = resourceVersion;
    for (const [key, object] of present) {
      if (!isSameState(this.objects.get(key), object)) this.#put(key, object, true);
    }
  }

  /** Takes an event of a watch. One that came before does nothing. */
  apply(event: Change<T>): void {
    const key = cacheKeyOf(event.object);
    if (event.type === 'DELETED') this.#applyDelete(key, event.object);
    else if (!this.#isKnown(key, event.object)) this.#put(key, event.object, false);
    this.advance(versionOf(event.object));
  }

  /** Notes how far the watch has come. */
  advance(resourceVersion: string): void {
    const order = compareResourceVersions(resourceVersion, this.#resourceVersion);
    if (resourceVersion !== '' && (order === undefined || order > 0)) this.#resourceVersion = resourceVersion;
  }

  #applyDelete(key: string, last: T): void {
    const cached = this.objects.get(key);
    if (cached === undefined) return;
    const order = compareResourceVersions(versionOf(last), versionOf(cached));
    // Older than the cached state: it belongs to an object that has been replaced by now.
    if (order !== undefined && order < 0) return;
    this.#remove(key, last);
  }

  /** Was this state, or a later one, seen before? An absent object was seen to go if the cache is further than this. */
  #isKnown(key: string, object: T): boolean {
    const cached = this.objects.get(key);
    const seen = cached === undefined ? this.#resourceVersion : versionOf(cached);
    const order = compareResourceVersions(versionOf(object), seen);
    return order !== undefined && order <= 0;
  }

  #put(key: string, object: T, isFromList: boolean): void {
    const previous = this.objects.get(key);
    if (previous !== undefined && previous.metadata.uid !== object.metadata.uid) {
      this.#remove(key, undefined);
      return this.#put(key, object, isFromList);
    }
    this.objects.put(key, object);
    this.listeners.notify(listener =>
      previous === undefined
        ? listener.added?.(object, { isFromList })
        : listener.updated?.(object, previous, { isFromList }),
    );
  }

  /** The final state counts only if it is of the object that is cached. */
  #remove(key: string, last: T | undefined): void {
    const cached = this.objects.get(key);
    if (cached === undefined) return;
    this.objects.delete(key);
    const isFinalStateKnown = last !== undefined && last.metadata.uid === cached.metadata.uid;
    const object = isFinalStateKnown ? last : cached;
    this.listeners.notify(listener => listener.deleted?.(object, { isFinalStateKnown }));
  }
}

const versionOf = ({ metadata }: KubeObject): string => metadata.resourceVersion ?? '';

const isSameState = (cached: KubeObject | undefined, object: KubeObject): boolean =>
  cached !== undefined && versionOf(cached) === versionOf(object) && cached.metadata.uid === object.metadata.uid;

/** The listeners of an informer. A listener that throws does not keep the others from being called. */
class Listeners<T extends KubeObject> {
  readonly #onFailure: (thrown: unknown) => void;
  readonly #emitter: Emitter<[call: (listener: InformerListener<T>) => void]>;

  constructor(onFailure: (thrown: unknown) => void) {
    this.#onFailure = onFailure;
    this.#emitter = new Emitter(onFailure);
  }

  /** Adds a listener after calling it with the present objects. Returns the function that removes it. */
  add(listener: InformerListener<T>, present: Iterable<T>): () => void {
    for (const object of present) {
      try {
        listener.added?.(object, { isFromList: true });
      } catch (thrown) {
        this.#onFailure(thrown);
      }
    }
    return this.#emitter.add(call => call(listener));
  }

  notify(call: (listener: InformerListener<T>) => void): void {
    this.#emitter.emit(call);
  }
}

const decimal = /^(0|[1-9][0-9]*)$/;

/**
 * Which of two resource versions of one collection is later: positive when `a` is, 0 when they are the same. Undefined
 * when they cannot be compared: Kubernetes promises an order only for decimal numbers.
 */
function compareResourceVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!decimal.test(a) || !decimal.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}
