import type { AdvanceListener, Change } from './store.ts';

/** Those who want to be woken. One that throws does not keep the others asleep. */
export class Listeners {
  readonly #listeners = new Set<AdvanceListener>();

  /** Returns the function that removes it again. */
  add(listener: AdvanceListener): () => void {
    // A function of our own, so that the same one may be added twice.
    const entry: AdvanceListener = committed => listener(committed);
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  wake(committed?: readonly Change[]): void {
    for (const listener of this.#listeners) {
      try {
        listener(committed);
      } catch (thrown) {
        queueMicrotask(() => {
          throw thrown;
        });
      }
    }
  }
}
