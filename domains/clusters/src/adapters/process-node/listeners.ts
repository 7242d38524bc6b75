import type { Logger } from '@chandlery/platform';

/** Those who hear of something. What one of them throws is logged and does not keep it from the others. */
export class Listeners<Heard extends readonly unknown[]> {
  readonly #listeners = new Set<(...heard: Heard) => void>();
  readonly #of: string;
  readonly #logger: Logger;

  constructor(of: string, logger: Logger) {
    this.#of = of;
    this.#logger = logger;
  }

  /** Returns how to stop listening. */
  add(listener: (...heard: Heard) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(...heard: Heard): void {
    for (const listener of this.#listeners) {
      try {
        listener(...heard);
      } catch (error) {
        this.#logger.error(`a listener to ${this.#of} failed`, { error: String(error) });
      }
    }
  }
}
