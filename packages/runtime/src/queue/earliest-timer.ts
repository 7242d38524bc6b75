import type { Clock } from '@chandlery/platform';
import type { Timers } from './timers.ts';

/** One timer that is set to the earliest of the times asked for. */
export class EarliestTimer {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #onDue: () => void;
  #dueAtMs = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(deps: { readonly clock: Clock; readonly timers: Timers; readonly onDue: () => void }) {
    this.#clock = deps.clock;
    this.#timers = deps.timers;
    this.#onDue = deps.onDue;
  }

  /** Fires at the given time, unless it is set to an earlier one already. */
  setTo(atMs: number): void {
    if (atMs >= this.#dueAtMs) return;
    this.#cancel?.();
    this.#dueAtMs = atMs;
    this.#cancel = this.#timers.after(Math.max(0, Math.ceil(atMs - this.#clock.now().getTime())), () => {
      this.clear();
      this.#onDue();
    });
  }

  clear(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#dueAtMs = Number.POSITIVE_INFINITY;
  }
}
