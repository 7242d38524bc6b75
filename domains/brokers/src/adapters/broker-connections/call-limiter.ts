import { type Clock, type Logger, TokenBucket } from '@chandlery/platform';
import { brokerBusy } from './broker-failures.ts';
import { CircuitBreaker } from './circuit-breaker.ts';

export interface CallLimiterOptions {
  readonly broker: string;
  readonly limits: { readonly callsPerSecond: number; readonly breakAfterFailures: number; readonly breakMs: number };
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Decides whether a broker may be called now: applies its rate limit and its circuit breaker. */
export class CallLimiter {
  readonly #options: CallLimiterOptions;
  readonly #breaker: CircuitBreaker;
  readonly #bucket: TokenBucket | undefined;

  constructor(options: CallLimiterOptions) {
    this.#options = options;
    const { callsPerSecond, breakAfterFailures: failures, breakMs } = options.limits;
    this.#breaker = new CircuitBreaker({ failures, breakMs });
    const burst = Math.max(1, callsPerSecond);
    if (callsPerSecond > 0) this.#bucket = new TokenBucket({ perSecond: callsPerSecond, burst }, this.#nowMs());
  }

  /** The error for a call while the circuit breaker is open; undefined when it is closed. */
  circuitOpen(): Error | undefined {
    if (!this.#breaker.isOpen) return undefined;
    return this.#openFor(this.#breaker.waitMs(this.#nowMs()));
  }

  /** Why the rate does not allow a call; undefined when it does, which is then counted. */
  rateLimited(): Error | undefined {
    const waitMs = this.#bucket?.tryTake(this.#nowMs()) ?? 0;
    return waitMs > 0 ? brokerBusy(this.#options.broker, 'it is called too often', waitMs) : undefined;
  }

  /** As {@link circuitOpen}, for a call that is sent in this moment: one alone tries whether the broker is back. */
  admit(): Error | undefined {
    if (!this.#breaker.isOpen) return undefined;
    return this.#openFor(this.#breaker.admit(this.#nowMs()));
  }

  completed(): void {
    const { broker, logger } = this.#options;
    if (this.#breaker.isOpen) logger.info('circuit breaker closed for service broker', { broker });
    this.#breaker.succeeded();
  }

  abandoned(): void {
    this.#breaker.abandoned();
  }

  /** Records a failure. Returns the error for the queued calls if the circuit breaker opens now. */
  failed(): Error | undefined {
    const wasOpen = this.#breaker.isOpen;
    if (!this.#breaker.failed(this.#nowMs())) return undefined;
    const { broker, logger, limits } = this.#options;
    const { breakAfterFailures: failures, breakMs } = limits;
    if (!wasOpen) logger.warn('circuit breaker opened for service broker', { broker, failures, breakMs });
    return this.#openFor(breakMs);
  }

  #openFor(waitMs: number): Error | undefined {
    if (waitMs === 0) return undefined;
    const { broker, limits } = this.#options;
    return brokerBusy(broker, `it failed ${limits.breakAfterFailures} times in a row`, waitMs);
  }

  #nowMs(): number {
    return this.#options.clock.now().getTime();
  }
}
