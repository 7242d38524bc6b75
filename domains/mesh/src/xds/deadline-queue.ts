import type { Timers } from '@chandlery/runtime';

/** Calls back for each entry after a fixed delay, with one timer for all entries. */
export class DeadlineQueue<Entry> {
  readonly #delayMs: number;
  readonly #options: { readonly timers: Timers; readonly nowMs: () => number; readonly onDue: (entry: Entry) => void };
  /** In order of the deadlines, because all delays are equal. */
  readonly #dueAtMs = new Map<Entry, number>();
  #cancel: (() => void) | undefined;

  constructor(
    delayMs: number,
    options: { readonly timers: Timers; readonly nowMs: () => number; readonly onDue: (entry: Entry) => void },
  ) {
    this.#delayMs = delayMs;
    this.#options = options;
  }

  /** Has no effect for an entry that is already queued. */
  add(entry: Entry): void {
    if (this.#dueAtMs.has(entry)) return;
    this.#dueAtMs.set(entry, this.#options.nowMs() + this.#delayMs);
    this.#cancel ??= this.#options.timers.after(this.#delayMs, () => this.#onTimer());
  }

  delete(entry: Entry): void {
    this.#dueAtMs.delete(entry);
    if (this.#dueAtMs.size === 0) this.clear();
  }

  clear(): void {
    this.#dueAtMs.clear();
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #onTimer(): void {
    this.#cancel = undefined;
    const now = this.#options.nowMs();
    for (const [entry, dueAtMs] of this.#dueAtMs) {
      if (dueAtMs > now) {
        this.#cancel ??= this.#options.timers.after(dueAtMs - now, () => this.#onTimer());
        return;
      }
      this.#dueAtMs.delete(entry);
      this.#options.onDue(entry);
    }
  }
}
