/** A rate with bursts. */
export interface RateLimit {
  readonly perSecond: number;
  /** How many at once after a pause. */
  readonly burst: number;
}

/** Hands out tokens at a rate; unused tokens are kept up to the burst. Takes the time from its caller. */
export class TokenBucket {
  readonly #limit: RateLimit;
  #tokens: number;
  #filledAtMs: number;

  constructor(limit: RateLimit, nowMs: number) {
    this.#limit = limit;
    this.#tokens = limit.burst;
    this.#filledAtMs = nowMs;
  }

  /** How long until a token is available; 0 when one is. */
  waitMs(nowMs: number): number {
    this.#fill(nowMs);
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) / this.#limit.perSecond) * 1000);
  }

  /** Takes a token. To be called only after `waitMs` returned 0. */
  take(): void {
    this.#tokens--;
  }

  /** Takes a token and returns 0 if one is available; otherwise returns how long until one is. */
  tryTake(nowMs: number): number {
    const waitMs = this.waitMs(nowMs);
    if (waitMs === 0) this.take();
    return waitMs;
  }

  #fill(nowMs: number): void {
    const gained = (Math.max(0, nowMs - this.#filledAtMs) / 1000) * this.#limit.perSecond;
    this.#tokens = Math.min(this.#limit.burst, this.#tokens + gained);
    this.#filledAtMs = nowMs;
  }
}
