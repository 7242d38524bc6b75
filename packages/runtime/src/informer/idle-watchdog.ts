import type { Clock } from '@chandlery/platform';
import type { Timers } from '../queue/timers.ts';

/** When to become impatient. */
export interface IdleWatchdogOptions {
  readonly clock: Clock;
  readonly timers: Timers;
  /** How long nothing may happen. Asked again each time. */
  readonly idleMs: () => number;
  /** Called before the signal is aborted because nothing happened. */
  readonly onIdle: () => void;
  /** Ends what is watched over in any case. */
  readonly outer: AbortSignal;
}

/**
 * Aborts its signal when nothing happened for a while. A touch only notes the time, which the timer compares when it fires,
 * so that touching costs nothing.
 */
export class IdleWatchdog implements Disposable {
  readonly #options: IdleWatchdogOptions;
  readonly #controller = new AbortController();
  readonly #stack = new DisposableStack();
  #touchedAtMs = 0;
  #cancel = (): void => {};

  constructor(options: IdleWatchdogOptions) {
    this.#options = options;
    const abort = (): void => this.#controller.abort();
    options.outer.addEventListener('abort', abort, { once: true });
    if (options.outer.aborted) abort();
    this.#stack.defer(() => options.outer.removeEventListener('abort', abort));
    this.#stack.defer(() => this.#cancel());
    this.touch();
    this.#wait(options.idleMs());
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  touch(): void {
    this.#touchedAtMs = this.#nowMs();
  }

  [Symbol.dispose](): void {
    this.#stack.dispose();
  }

  #wait(delayMs: number): void {
    this.#cancel = this.#options.timers.after(delayMs, () => {
      const leftMs = this.#touchedAtMs + this.#options.idleMs() - this.#nowMs();
      if (leftMs > 0) return this.#wait(leftMs);
      this.#options.onIdle();
      this.#controller.abort();
    });
  }

  #nowMs(): number {
    return this.#options.clock.now().getTime();
  }
}
