import type { Logger } from '@chandlery/platform';

/** A list of listeners. An error of one is logged and does not affect the others. */
export class Listeners<Arguments extends readonly unknown[]> {
  readonly #listeners = new Set<(...args: Arguments) => void>();
  readonly #of: string;
  readonly #logger: Logger;

  constructor(of: string, logger: Logger) {
    this.#of = of;
    this.#logger = logger;
  }

  /** Returns a function that removes the listener. */
  add(listener: (...args: Arguments) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  notify(...args: Arguments): void {
    for (const listener of this.#listeners) {
      try {
        listener(...args);
      } catch (error) {
        this.#logger.error(`a listener to ${this.#of} failed`, { error: String(error) });
      }
    }
  }
}
