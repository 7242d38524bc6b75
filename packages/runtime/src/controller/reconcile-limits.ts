import type { Timers } from '../queue/timers.ts';

/** The limit of one reconcile. */
export interface ReconcileLimit extends Disposable {
  /** Aborted when the reconcile took too long or all reconciles must end. */
  readonly signal: AbortSignal;
  readonly isTooLong: boolean;
}

/**
 * Gives each reconcile a signal of its own. One listener serves all of them: composing signals by `AbortSignal.any` costs more
 * than the rest of a reconcile that changes nothing.
 */
export class ReconcileLimits {
  readonly #stopped: AbortSignal;
  readonly #timers: Timers;
  readonly #running = new Set<AbortController>();

  constructor(stopped: AbortSignal, timers: Timers) {
    this.#stopped = stopped;
    this.#timers = timers;
    stopped.addEventListener('abort', () => this.#abortAll(), { once: true });
  }

  /** Begins a reconcile that is aborted with `reason` after a while. Disposing of the limit ends it. */
  begin(timeoutMs: number, reason: () => Error): ReconcileLimit {
    const abort = new AbortController();
    if (this.#stopped.aborted) abort.abort(this.#stopped.reason);
    let isTooLong = false;
    const cancel = this.#timers.after(timeoutMs, () => {
      isTooLong = true;
      abort.abort(reason());
    });
    this.#running.add(abort);
    return {
      signal: abort.signal,
      get isTooLong() {
        return isTooLong;
      },
      [Symbol.dispose]: () => {
        cancel();
        this.#running.delete(abort);
      },
    };
  }

  #abortAll(): void {
    for (const abort of this.#running) abort.abort(this.#stopped.reason);
  }
}
