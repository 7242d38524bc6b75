/**
 * Lines up those who want to change the same thing: one turn at a time for each key, first come, first served.
 *
 * Costs nothing for keys that nobody waits for.
 */
export class KeyedTurns {
  readonly #last = new Map<string, Promise<void>>();

  /** Waits for its turn; the turn ends when the result is disposed of. */
  async take(key: string): Promise<Disposable> {
    const before = this.#last.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last.set(key, promise);
    await before;
    return {
      [Symbol.dispose]: () => {
        if (this.#last.get(key) === promise) this.#last.delete(key);
        resolve();
      },
    };
  }
}
