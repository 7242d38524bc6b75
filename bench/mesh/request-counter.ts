import { ChandleryError } from '@chandlery/api';

const maxWaitMs = 120_000;

/** Counts requests of clients, and resolves when a number is reached. */
export class RequestCounter {
  #count = 0;
  #wanted = Number.POSITIVE_INFINITY;
  #onReached: () => void = () => undefined;

  note(): void {
    this.#count++;
    if (this.#count >= this.#wanted) this.#onReached();
  }

  /**
   * Resolves when the given number of further requests has arrived. Rejects with `Unasked` when there were earlier
   * ones: a stream received a response that was not for it, or twice.
   */
  async next(wanted: number): Promise<void> {
    if (this.#count > 0) throw new ChandleryError('Unasked', `${this.#count} requests came that nobody waited for`);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(this.#tooFew()), maxWaitMs);
    this.#wanted = wanted;
    this.#onReached = resolve;
    await promise;
    clearTimeout(timer);
    this.#wanted = Number.POSITIVE_INFINITY;
    this.#count -= wanted;
  }

  #tooFew(): ChandleryError {
    const seconds = maxWaitMs / 1000;
    return new ChandleryError('TooFew', `${this.#count} of ${this.#wanted} requests came within ${seconds} s`);
  }
}
