type Look<R> = (row: R | undefined) => void;

/** Those who wait for something to become true of a row. A change costs only those who wait for its row. */
export class RowWaiters<R> {
  readonly #looks = new Map<string, Set<Look<R>>>();

  /** Tells a row's new state; undefined when it is gone. */
  tell(id: string, row: R | undefined): void {
    for (const look of this.#looks.get(id) ?? []) look(row);
  }

  /** Resolves with the first new state for which the test is true. Rejects with the signal's reason, or what the test throws. */
  async wait(id: string, test: (row: R | undefined) => boolean, signal: AbortSignal): Promise<R | undefined> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<R | undefined>();
    const look: Look<R> = row => {
      try {
        if (test(row)) resolve(row);
      } catch (thrown) {
        reject(thrown);
      }
    };
    const giveUp = (): void => reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    this.#add(id, look);
    try {
      return await promise;
    } finally {
      this.#remove(id, look);
      signal.removeEventListener('abort', giveUp);
    }
  }

  #add(id: string, look: Look<R>): void {
    const looks = this.#looks.get(id);
    if (looks === undefined) this.#looks.set(id, new Set([look]));
    else looks.add(look);
  }

  #remove(id: string, look: Look<R>): void {
    const looks = this.#looks.get(id);
    looks?.delete(look);
    if (looks?.size === 0) this.#looks.delete(id);
  }
}
