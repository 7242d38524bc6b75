import { ManualClock } from '@chandlery/platform';
import type { Timers } from '@chandlery/runtime';

/** Simulated time: a clock and its timers. */
export class TestTime implements Timers {
  readonly clock = new ManualClock();
  #timers: { readonly atMs: number; readonly call: () => void }[] = [];

  readonly nowMs = (): number => this.clock.now().getTime();

  get pendingCount(): number {
    return this.#timers.length;
  }

  after(delayMs: number, call: () => void): () => void {
    const timer = { atMs: this.nowMs() + delayMs, call };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter(other => other !== timer);
    };
  }

  /** Advances time and calls due timers, each at its own time. */
  advance(ms: number): void {
    const endMs = this.nowMs() + ms;
    for (;;) {
      const due = this.#timers.filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter(other => other !== due);
      this.clock.advance(Math.max(0, due.atMs - this.nowMs()));
      due.call();
    }
    this.clock.advance(endMs - this.nowMs());
  }
}
