/** Mutual exclusion by key: at most one holder of each key at a time, in the order in which they asked. */
export class KeyedMutex<K> {
  readonly #tails = new Map<K, Promise<unknown>>();

  /** Whether the key is held or waited for. */
  isHeld(key: K): boolean {
    return this.#tails.has(key);
  }

  /** Runs `work` when all earlier holders of the key are done, whether or not they failed. */
  async run<T>(key: K, work: () => T | Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const result = before.then(work);
    const tail = result.catch(() => undefined);
    this.#tails.set(key, tail);
    try {
      return await result;
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    }
  }
}
