/**
 * Gathers keys and hands them over together, as soon as what runs now has ended: what arrives at once is worked on once.
 */
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
