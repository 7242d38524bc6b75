import { ManualClock } from '@chandlery/platform';
import type { Timers } from './timers.ts';

/** Time that the test controls: a clock and the timers that follow it. */
export class TestTime implements Timers {
  readonly clock = new ManualClock();
  readonly #pending = new Map<object, { readonly atMs: number; readonly call: () => void }>();

  get nowMs(): number {
    return this.clock.now().getTime();
  }

  /** How many timers are set. */
  get pending(): number {
    return this.#pending.size;
  }

  after(delayMs: number, call: () => void): () => void {
    const token = {};
    this.#pending.set(token, { atMs: this.nowMs + delayMs, call });
    return () => void this.#pending.delete(token);
  }

  /** Lets time pass and calls what falls due, in order, each at its own time. */
  advance(ms: number): void {
    const endMs = this.nowMs + ms;
    for (let next = this.#earliest(endMs); next !== undefined; next = this.#earliest(endMs)) {
      this.#pending.delete(next.token);
      this.clock.advance(Math.max(0, next.atMs - this.nowMs));
      next.call();
    }
    this.clock.advance(endMs - this.nowMs);
  }

  /** Lets time pass until the earliest timer has been called. */
  advanceToNext(): void {
    const next = this.#earliest(Number.POSITIVE_INFINITY);
    if (next !== undefined) this.advance(Math.max(0, next.atMs - this.nowMs));
  }

  #earliest(untilMs: number) {
    let earliest: { token: object; atMs: number; call: () => void } | undefined;
    for (const [token, { atMs, call }] of this.#pending)
      if (atMs <= untilMs && (earliest === undefined || atMs < earliest.atMs)) earliest = { token, atMs, call };
    return earliest;
  }
}
