/** Jobs that are with processes, and those that wait for one. */
export class Deliveries implements AsyncDisposable {
  readonly #running = new Map<string, { readonly abort: AbortController; readonly done: Promise<void> }>();
  /** By the UUID of the order: for which service, and since when. */
  readonly #waiting = new Map<string, { readonly service: string; readonly sinceMs: number }>();
  readonly #onDone: (order: string) => void;
  #isStopped = false;

  /** `onDone` is called when a delivery has ended, whatever became of it. */
  constructor(onDone: (order: string) => void) {
    this.#onDone = onDone;
  }

  /** Runs a delivery. `work` must not reject. */
  start(order: string, work: (signal: AbortSignal) => Promise<void>): void {
    if (this.#isStopped || this.#running.has(order)) return;
    const abort = new AbortController();
    const done = work(abort.signal).finally(() => {
      this.#running.delete(order);
      if (!this.#isStopped) this.#onDone(order);
    });
    this.#running.set(order, { abort, done });
  }

  isRunning(order: string): boolean {
    return this.#running.has(order);
  }

  /** Ends a delivery; one that does not run is no failure. */
  abort(order: string): void {
    this.#running.get(order)?.abort.abort();
  }

  /** Notes that an order waits for a process, and returns since when. */
  wait(order: string, service: string, nowMs: number): number {
    const { sinceMs } = this.#waiting.get(order) ?? { sinceMs: nowMs };
    this.#waiting.set(order, { service, sinceMs });
    return sinceMs;
  }

  stopWaiting(order: string): void {
    this.#waiting.delete(order);
  }

  /** The orders that wait for a process of a service. */
  waitingFor(service: string): readonly string[] {
    return [...this.#waiting].filter(([, waiting]) => waiting.service === service).map(([order]) => order);
  }

  /** Ends all deliveries. What becomes of them is decided at the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    const running = [...this.#running.values()];
    for (const { abort } of running) abort.abort();
    await Promise.all(running.map(({ done }) => done));
  }
}
