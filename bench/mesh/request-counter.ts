import { ChandleryError } from '@chandlery/api';

const maxWaitMs = 120_000;

/** Counts what clients send, and tells when there was enough of it. */
export class RequestCounter {
  #count = 0;
  #wanted = Number.POSITIVE_INFINITY;
  #onReached: () => void = () => undefined;

  note(): void {
    this.#count++;
    if (this.#count >= this.#wanted) this.#onReached();
  }

  /**
   * Resolves when so many have come that nobody has waited for yet. Rejects with `Unasked` when some have come before:
   * somebody was told what was not for them, or told twice.
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
