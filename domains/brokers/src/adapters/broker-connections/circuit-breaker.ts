/** When the circuit breaker opens, and for how long. */
export interface BreakerLimits {
  /** Failed calls in a row. 0: never. */
  readonly failures: number;
  readonly breakMs: number;
}

/**
 * Spares a broker that has failed several times in a row, then lets one call try whether it is back.
 *
 * `admit` is asked before a call; each admitted call ends with one of `succeeded`, `failed` or `abandoned`.
 */
export class CircuitBreaker {
  readonly #limits: BreakerLimits;
  #failuresInRow = 0;
  #openUntilMs = 0;
  #isProbing = false;

  constructor(limits: BreakerLimits) {
    this.#limits = limits;
  }

  /** Whether calls need to ask at all: false as long as nothing is amiss. */
  get isOpen(): boolean {
    return this.#limits.failures > 0 && this.#failuresInRow >= this.#limits.failures;
  }

  /** How long to wait; 0: the call may proceed. After a break, one call probes the broker; others wait until it has ended. */
  admit(nowMs: number): number {
    const waitMs = this.waitMs(nowMs);
    if (waitMs === 0 && this.isOpen) this.#isProbing = true;
    return waitMs;
  }

  /** As {@link admit}, but only asks. */
  waitMs(nowMs: number): number {
    if (!this.isOpen) return 0;
    if (nowMs < this.#openUntilMs) return this.#openUntilMs - nowMs;
    return this.#isProbing ? this.#limits.breakMs : 0;
  }

  succeeded(): void {
    this.#failuresInRow = 0;
    this.#isProbing = false;
  }

  /** True when this failure begins a break, or prolongs it. */
  failed(nowMs: number): boolean {
    this.#failuresInRow += 1;
    this.#isProbing = false;
    if (!this.isOpen) return false;
    this.#openUntilMs = nowMs + this.#limits.breakMs;
    return true;
  }

  /** The call ended without a result that says anything about the broker. */
  abandoned(): void {
    this.#isProbing = false;
  }
}
