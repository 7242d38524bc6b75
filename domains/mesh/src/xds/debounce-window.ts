import type { Timers } from '@chandlery/runtime';

/** How long changes of one class are gathered before they are told. */
export interface WindowTimes {
  /** CachedResponse when nothing more came for so long. */
  readonly quietMs: number;
  /** CachedResponse in any case so long after the first. */
  readonly maxMs: number;
}

/** When a window that opened at some time and got another change now is to close: milliseconds from now. */
export const closesInMs = (times: WindowTimes, openedMs: number, nowMs: number): number =>
  Math.max(0, Math.min(times.quietMs, openedMs + times.maxMs - nowMs));

interface WindowOptions {
  readonly times: WindowTimes;
  /** How long a change may wait that is not to be retained back. */
  readonly urgentMs: number;
  readonly timers: Timers;
  readonly nowMs: () => number;
  readonly onClose: () => void;
}

/** Opens with the first change, stays open while more come, and calls back once when it closes. */
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

  /** Closes without calling back. */
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
