/** Lets work on the same thing wait for one another; other work goes on. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs work after all that was there before under the key, however that ended. */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(work, work);
    const settled = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(key, settled);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    }
  }
}
