type Check<R> = (row: R | undefined) => void;

/** Callers that wait for a condition on a row. A change costs only the callers that wait for its row. */
export class RowWaiters<R> {
  readonly #checks = new Map<string, Set<Check<R>>>();

  /** Checks the conditions on a row against its new state; undefined when it was removed. */
  notify(id: string, row: R | undefined): void {
    for (const check of this.#checks.get(id) ?? []) check(row);
  }

  /** Resolves with the first new state for which the test is true. Rejects with the signal's reason, or what the test throws. */
  async wait(id: string, test: (row: R | undefined) => boolean, signal: AbortSignal): Promise<R | undefined> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<R | undefined>();
    const check: Check<R> = row => {
      try {
        if (test(row)) resolve(row);
      } catch (thrown) {
        reject(thrown);
      }
    };
    const giveUp = (): void => reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    this.#add(id, check);
    try {
      return await promise;
    } finally {
      this.#remove(id, check);
      signal.removeEventListener('abort', giveUp);
    }
  }

  #add(id: string, check: Check<R>): void {
    const checks = this.#checks.get(id);
    if (checks === undefined) this.#checks.set(id, new Set([check]));
    else checks.add(check);
  }

  #remove(id: string, check: Check<R>): void {
    const checks = this.#checks.get(id);
    checks?.delete(check);
    if (checks?.size === 0) this.#checks.delete(id);
  }
}
