import type { KubeObject } from '@chandlery/api';
import type { IndexFunction, Informer } from '@chandlery/runtime';

/**
 * A cache that includes writes which the watch has not shown yet. Decisions based on it never create an object twice
 * and never count a removed one, however slow the watch is.
 */
export class WrittenCache<T extends KubeObject> {
  readonly informer: Informer<T>;
  readonly #index: string;
  readonly #valuesOf: IndexFunction<T>;
  readonly #written = new Map<string, T>();
  readonly #removed = new Map<string, T>();

  constructor(informer: Informer<T>, index: string, valuesOf: IndexFunction<T>) {
    this.informer = informer;
    this.#index = index;
    this.#valuesOf = valuesOf;
    informer.addIndex(index, valuesOf);
  }

  /** Adds an object as the server returned it. */
  wrote(object: T): T {
    this.#written.set(uidOf(object), object);
    return object;
  }

  /** Records that an object was deleted, or is being deleted. */
  removed(object: T): void {
    this.#removed.set(uidOf(object), object);
  }

  /** The objects with the index value. Removed ones have a deletion timestamp. */
  find(value: string): readonly T[] {
    this.#forgetShown();
    const found = new Map(this.informer.byIndex(this.#index, value).map(object => [uidOf(object), object]));
    for (const [uid, object] of this.#written) {
      if (this.#valuesOf(object).includes(value)) found.set(uid, object);
      else found.delete(uid);
    }
    return [...found].map(([uid, object]) => (this.#removed.has(uid) ? asRemoved(object) : object));
  }

  #forgetShown(): void {
    for (const [uid, object] of this.#written) if (this.#isShown(object)) this.#written.delete(uid);
    for (const [uid, object] of this.#removed) if (this.#isSeenToGo(object)) this.#removed.delete(uid);
  }

  #cached({ metadata }: T): T | undefined {
    const cached = this.informer.get(metadata.namespace, metadata.name ?? '');
    return cached?.metadata.uid === metadata.uid ? cached : undefined;
  }

  /** Whether the cache has this version or a later one, or has passed the object's deletion. */
  #isShown(object: T): boolean {
    const shown = this.#cached(object)?.metadata.resourceVersion ?? this.informer.lastSyncResourceVersion;
    return isAtLeast(shown, object.metadata.resourceVersion ?? '');
  }

  #isSeenToGo(object: T): boolean {
    if (this.#written.has(uidOf(object))) return false;
    const cached = this.#cached(object);
    return cached === undefined || cached.metadata.deletionTimestamp !== undefined;
  }
}

const uidOf = ({ metadata }: KubeObject): string => metadata.uid ?? '';

const asRemoved = <T extends KubeObject>(object: T): T =>
  object.metadata.deletionTimestamp === undefined
    ? { ...object, metadata: { ...object.metadata, deletionTimestamp: object.metadata.creationTimestamp ?? '' } }
    : object;

/** Versions of one collection increase: of two decimal numbers, the longer is the later. */
const isAtLeast = (shown: string, wanted: string): boolean =>
  shown.length === wanted.length ? shown >= wanted : shown.length > wanted.length;
