import { ChandleryError, type KubeObject } from '@chandlery/api';
import type { IndexFunction } from './informer.ts';

interface Index<T extends KubeObject> {
  readonly valuesOf: IndexFunction<T>;
  readonly keysByValue: Map<string, Set<string>>;
}

/** Under which an object is kept. Neither part can contain a slash. */
export const cacheKey = (namespace: string | undefined, name: string | undefined): string =>
  `${namespace ?? ''}/${name ?? ''}`;

/** Under which an object is kept. */
export const cacheKeyOf = ({ metadata }: KubeObject): string => cacheKey(metadata.namespace, metadata.name);

/** Objects by namespace and name, and by the values of indexes. Keeps what it is given and copies nothing. */
export class ObjectCache<T extends KubeObject> {
  readonly #objects = new Map<string, T>();
  readonly #byNamespace: Index<T> = newIndex(({ metadata }) => [metadata.namespace ?? '']);
  readonly #indexes = new Map<string, Index<T>>();
  readonly #onIndexFailure: (thrown: unknown) => void;

  /** An index function that throws leaves the object out of its index. */
  constructor(onIndexFailure: (thrown: unknown) => void) {
    this.#onIndexFailure = onIndexFailure;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  keys(): Iterable<string> {
    return this.#objects.keys();
  }

  list(namespace?: string): T[] {
    return namespace === undefined ? [...this.#objects.values()] : this.#lookUp(this.#byNamespace, namespace);
  }

  byIndex(name: string, value: string): T[] {
    const index = this.#indexes.get(name);
    if (index === undefined)
      throw new ChandleryError('UnknownIndex', `there is no index "${name}"`, {
        hint: 'Declare it when the informer is made, or with addIndex.',
      });
    return this.#lookUp(index, value);
  }

  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    const known = this.#indexes.get(name);
    if (known?.valuesOf === valuesOf) return;
    if (known !== undefined)
      throw new ChandleryError('IndexConflict', `the index "${name}" is declared already, by another function`, {
        hint: 'Share the function, or choose another name.',
      });
    const index = newIndex(valuesOf);
    for (const [key, object] of this.#objects) this.#enter(index, key, object);
    this.#indexes.set(name, index);
  }

  put(key: string, object: T): void {
    this.#leaveAll(key);
    this.#objects.set(key, object);
    this.#enter(this.#byNamespace, key, object);
    for (const index of this.#indexes.values()) this.#enter(index, key, object);
  }

  delete(key: string): void {
    this.#leaveAll(key);
    this.#objects.delete(key);
  }

  #leaveAll(key: string): void {
    const previous = this.#objects.get(key);
    if (previous === undefined) return;
    this.#leave(this.#byNamespace, key, previous);
    for (const index of this.#indexes.values()) this.#leave(index, key, previous);
  }

  #lookUp(index: Index<T>, value: string): T[] {
    const found: T[] = [];
    for (const key of index.keysByValue.get(value) ?? []) {
      const object = this.#objects.get(key);
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  #enter(index: Index<T>, key: string, object: T): void {
    for (const value of this.#valuesOf(index, object)) {
      const keys = index.keysByValue.get(value);
      if (keys === undefined) index.keysByValue.set(value, new Set([key]));
      else keys.add(key);
    }
  }

  #leave(index: Index<T>, key: string, object: T): void {
    for (const value of this.#valuesOf(index, object)) {
      const keys = index.keysByValue.get(value);
      keys?.delete(key);
      if (keys?.size === 0) index.keysByValue.delete(value);
    }
  }

  #valuesOf(index: Index<T>, object: T): readonly string[] {
    try {
      return index.valuesOf(object);
    } catch (thrown) {
      this.#onIndexFailure(thrown);
      return [];
    }
  }
}

const newIndex = <T extends KubeObject>(valuesOf: IndexFunction<T>): Index<T> => ({
  valuesOf,
  keysByValue: new Map(),
});
