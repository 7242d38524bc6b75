import { LruCache } from '@chandlery/platform';

interface Entry<T> {
  readonly loading: Promise<T>;
  /** What was loaded; undefined until then. */
  value?: T;
  isStale: boolean;
}

/**
 * What is known by key (a logical cluster, a namespace), loaded on first use and again after the change feed has said
 * that it is stale.
 *
 * A load that was under way when its key was invalidated is given to those who wait for it but not used again. Least
 * recently used keys are forgotten first, so that thousands of idle clusters cost nothing.
 */
export class LoadingCache<T> {
  readonly #load: (key: string, stale: T | undefined) => Promise<T>;
  readonly #entries: LruCache<string, Entry<T>>;

  /** `load` is also given the stale value that it replaces, whose parts it may use again. */
  constructor(load: (key: string, stale: T | undefined) => Promise<T>, options: { readonly limit?: number } = {}) {
    this.#load = load;
    this.#entries = new LruCache(options.limit ?? 10_000);
  }

  get(key: string): Promise<T> {
    const known = this.#entries.get(key);
    if (known !== undefined && !known.isStale) return known.loading;
    const entry = this.#begin(key, known?.value);
    this.#entries.set(key, entry);
    return entry.loading;
  }

  /** What is known of the key without waiting; undefined when it must be asked for with {@link get}. */
  peek(key: string): T | undefined {
    const known = this.#entries.get(key);
    return known === undefined || known.isStale ? undefined : known.value;
  }

  /** To be called when the key's value has changed. */
  invalidate(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.isStale = true;
  }

  /** Drops an entry that will not be used again. */
  deleteWhere(isObsolete: (key: string) => boolean): void {
    for (const key of this.#entries.keys()) if (isObsolete(key)) this.#entries.delete(key);
  }

  /** To be called when changes may have been missed. */
  clear(): void {
    this.#entries.clear();
  }

  #begin(key: string, stale: T | undefined): Entry<T> {
    const entry: Entry<T> = { loading: this.#load(key, stale), isStale: false };
    entry.loading.then(
      value => {
        entry.value = value;
      },
      () => {
        // The next one tries again.
        entry.isStale = true;
      },
    );
    return entry;
  }
}
