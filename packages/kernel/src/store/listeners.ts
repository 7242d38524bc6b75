/** Those who want to be woken. One that throws does not keep the others asleep. */
export class Listeners {
  readonly #wakes = new Set<() => void>();

  /** Returns the function that removes it again. */
  add(wake: () => void): () => void {
    // A function of our own, so that the same one may be added twice.
    const entry = (): void => wake();
    this.#wakes.add(entry);
    return () => void this.#wakes.delete(entry);
  }

  wake(): void {
    for (const wake of this.#wakes) {
      try {
        wake();
      } catch (thrown) {
        queueMicrotask(() => {
          throw thrown;
        });
      }
    }
  }
}
