interface Entry<Args extends readonly unknown[]> {
  readonly listener: (...args: Args) => void;
  isActive: boolean;
}

/**
 * Notifies listeners. A listener that throws does not keep the others from being called; one that is removed during a
 * round is not called any more, and one that is added is not called in that round.
 */
export class Emitter<Args extends readonly unknown[]> {
  readonly #onFailure: (thrown: unknown) => void;
  /** Replaced and never changed, so that a round runs over the listeners that were there when it began. */
  #entries: readonly Entry<Args>[] = [];

  /** `onFailure` is called with what a listener throws. Default: rethrown as an uncaught exception. */
  constructor(onFailure: (thrown: unknown) => void = rethrow) {
    this.#onFailure = onFailure;
  }

  /** Adds a listener, also one that is there already. Returns the function that removes it. */
  add(listener: (...args: Args) => void): () => void {
    const entry: Entry<Args> = { listener, isActive: true };
    this.#entries = [...this.#entries, entry];
    return () => {
      entry.isActive = false;
      this.#entries = this.#entries.filter(each => each !== entry);
    };
  }

  emit(...args: Args): void {
    for (const entry of this.#entries) {
      if (!entry.isActive) continue;
      try {
        entry.listener(...args);
      } catch (thrown) {
        this.#onFailure(thrown);
      }
    }
  }
}

function rethrow(thrown: unknown): void {
  queueMicrotask(() => {
    throw thrown;
  });
}
