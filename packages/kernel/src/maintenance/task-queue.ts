/** The result of a task for a key: done, or requeue after a delay. */
export type TaskOutcome = { readonly again?: number };

export interface TaskQueueOptions {
  readonly work: (key: string) => Promise<TaskOutcome>;
  readonly onFailure: (key: string, error: unknown) => void;
  /** How many keys are worked on at once; their writes share commits. Default 16. */
  readonly concurrency?: number;
}

const firstDelayMs = 50;
const maxDelayMs = 30_000;

/** A queue of keys. A key waits at most once and is never worked on twice at a time; failures are retried with back-off. */
export class TaskQueue implements AsyncDisposable {
  readonly #options: TaskQueueOptions;
  readonly #waiting = new Set<string>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #dirty = new Set<string>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #failures = new Map<string, number>();
  #isStopped = false;

  constructor(options: TaskQueueOptions) {
    this.#options = options;
  }

  add(key: string): void {
    if (this.#isStopped) return;
    clearTimeout(this.#timers.get(key));
    this.#timers.delete(key);
    if (this.#running.has(key)) this.#dirty.add(key);
    else this.#waiting.add(key);
    this.#next();
  }

  /** How many keys wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /** True when no key waits, runs or has failed; keys that are requeued for later do not count. */
  get isIdle(): boolean {
    return this.#waiting.size === 0 && this.#running.size === 0 && this.#failures.size === 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    this.#waiting.clear();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    await Promise.all(this.#running.values());
  }

  #next(): void {
    for (const key of this.#waiting) {
      if (this.#running.size >= (this.#options.concurrency ?? 16)) return;
      this.#waiting.delete(key);
      this.#running.set(key, this.#run(key));
    }
  }

  async #run(key: string): Promise<void> {
    // Lets the caller of `add` finish first, and the entry in `#running` be there.
    await Promise.resolve();
    try {
      const { again } = await this.#options.work(key);
      this.#failures.delete(key);
      if (again !== undefined) this.#later(key, again);
    } catch (error) {
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      this.#options.onFailure(key, error);
      this.#later(key, Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(failures, 10)));
    }
    this.#running.delete(key);
    if (this.#dirty.delete(key) && !this.#isStopped) this.add(key);
    if (!this.#isStopped) this.#next();
  }

  #later(key: string, delayMs: number): void {
    if (this.#isStopped || this.#dirty.has(key)) return;
    clearTimeout(this.#timers.get(key));
    const timer = setTimeout(() => this.add(key), delayMs);
    timer.unref();
    this.#timers.set(key, timer);
  }
}
