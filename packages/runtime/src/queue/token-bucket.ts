import type { RateLimit } from './work-queue.ts';

/** Counts out tokens at a rate; unused ones are kept up to the burst. */
export class TokenBucket {
  readonly #limit: RateLimit;
  #tokens: number;
  #filledAtMs: number;

  constructor(limit: RateLimit, nowMs: number) {
    this.#limit = limit;
    this.#tokens = limit.burst;
    this.#filledAtMs = nowMs;
  }

  /** How long to wait until there is a token; 0 when there is one. */
  waitMs(nowMs: number): number {
    this.#fill(nowMs);
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) / this.#limit.perSecond) * 1000);
  }

  /** Takes a token that `waitMs` said is there. */
  take(): void {
    this.#tokens--;
  }

  #fill(nowMs: number): void {
    const gained = (Math.max(0, nowMs - this.#filledAtMs) / 1000) * this.#limit.perSecond;
    this.#tokens = Math.min(this.#limit.burst, this.#tokens + gained);
    this.#filledAtMs = nowMs;
  }
}
