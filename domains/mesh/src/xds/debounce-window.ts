import type { Timers } from '@chandlery/runtime';

/** Debounce times of one class of changes. */
export interface WindowTimes {
  /** The window closes when no change arrived for this time. */
  readonly quietMs: number;
  /** The window closes at the latest this time after the first change. */
  readonly maxMs: number;
}

/** Milliseconds until a window closes that opened at `openedMs` and received another change now. */
export const closesInMs = (times: WindowTimes, openedMs: number, nowMs: number): number =>
  Math.max(0, Math.min(times.quietMs, openedMs + times.maxMs - nowMs));

interface WindowOptions {
  readonly times: WindowTimes;
  /** Maximum delay of an urgent change. */
  readonly urgentMs: number;
  readonly timers: Timers;
  readonly nowMs: () => number;
  readonly onClose: () => void;
}

/** A debounce window: opens with the first change, stays open while more arrive, and calls back once when it closes. */
export class DebounceWindow {
  readonly #options: WindowOptions;
  #openedMs: number | undefined;
  #closesAtMs = Number.POSITIVE_INFINITY;
  #isUrgent = false;
  #cancel: () => void = () => {};

  constructor(options: WindowOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#openedMs !== undefined;
  }

  add(isUrgent: boolean): void {
    const { times, urgentMs, nowMs } = this.#options;
    const now = nowMs();
    this.#openedMs ??= now;
    if (this.#isUrgent) return;
    this.#isUrgent = isUrgent;
    const waitMs = closesInMs(times, this.#openedMs, now);
    this.#closeIn(isUrgent ? Math.min(urgentMs, waitMs) : waitMs, now);
  }

  /** Closes the window without calling back. */
  clear(): void {
    this.#cancel();
    this.#openedMs = undefined;
    this.#closesAtMs = Number.POSITIVE_INFINITY;
    this.#isUrgent = false;
  }

  #closeIn(waitMs: number, now: number): void {
    if (now + waitMs === this.#closesAtMs) return;
    this.#cancel();
    this.#closesAtMs = now + waitMs;
    this.#cancel = this.#options.timers.after(waitMs, () => {
      this.clear();
      this.#options.onClose();
    });
  }
}
