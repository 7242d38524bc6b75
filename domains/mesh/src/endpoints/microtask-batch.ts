/** Collects keys and flushes them in a microtask, so that the keys of one tick are processed together. */
export class MicrotaskBatch {
  readonly #flush: (keys: ReadonlySet<string>) => void;
  #keys = new Set<string>();

  constructor(flush: (keys: ReadonlySet<string>) => void) {
    this.#flush = flush;
  }

  add(key: string): void {
    if (this.#keys.size === 0) queueMicrotask(() => this.#handOver());
    this.#keys.add(key);
  }

  #handOver(): void {
    const keys = this.#keys;
    this.#keys = new Set();
    this.#flush(keys);
  }
}
