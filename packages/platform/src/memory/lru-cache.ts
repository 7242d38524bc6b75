interface Entry<V> {
  value: V;
  /** Whether it was read since it was last considered for eviction. */
  isWanted: boolean;
}

/**
 * A map of limited size that evicts entries which have not been read for long (second-chance eviction).
 *
 * Reading only sets a mark. Order matters when an entry must be evicted: then the oldest entries are examined, and marked ones
 * move to the end. So a hit costs one look-up, where moving the entry to the end would cost three.
 */
export class LruCache<K, V> {
  readonly #entries = new Map<K, Entry<V>>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    entry.isWanted = true;
    return entry.value;
  }

  set(key: K, value: V): void {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      known.value = value;
      known.isWanted = true;
      return;
    }
    this.#makeRoom();
    this.#entries.set(key, { value, isWanted: false });
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  keys(): Iterable<K> {
    return this.#entries.keys();
  }

  clear(): void {
    this.#entries.clear();
  }

  #makeRoom(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#entries.size < this.#capacity) return;
      this.#entries.delete(key);
      if (!entry.isWanted) continue;
      entry.isWanted = false;
      this.#entries.set(key, entry);
    }
  }
}
