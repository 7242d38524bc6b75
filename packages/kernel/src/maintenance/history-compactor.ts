import { isError } from '@chandlery/api';
import type { ResourceDeps } from '../resources/request.ts';

export interface HistoryCompactorOptions {
  readonly deps: ResourceDeps;
  readonly historyMs: number;
  readonly onFailure: (what: string, error: unknown) => void;
}

const expiryEveryMs = 15_000;
const trimEveryMs = 60_000;
const expiryBatch = 500;

/** Removes expired objects, and compacts history older than it has to be kept. */
export class HistoryCompactor {
  readonly #options: HistoryCompactorOptions;
  #timers: NodeJS.Timeout[] = [];
  /** Revisions of the recent past, oldest first. */
  #marks: { at: number; revision: number }[] = [];
  /** Since when revisions could not be kept. */
  #failingSince: number | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: HistoryCompactorOptions) {
    this.#options = options;
  }

  start(): void {
    const markEveryMs = Math.max(1000, this.#options.historyMs / 10);
    this.#timers = [
      setInterval(() => this.#run('compaction', () => this.#compact()), markEveryMs),
      setInterval(() => this.#run('expiry', () => this.#expire()), expiryEveryMs),
      setInterval(
        () => this.#run('expiry of revisions', () => this.#options.deps.revisions.keeper.trim()),
        trimEveryMs,
      ),
    ];
    for (const timer of this.#timers) timer.unref();
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers = [];
    await this.#running;
  }

  #run(what: string, job: () => Promise<void>): void {
    this.#running = this.#running.then(job).catch((error: unknown) => this.#options.onFailure(what, error));
  }

  async #compact(): Promise<void> {
    const { deps, historyMs } = this.#options;
    const now = deps.clock.now().getTime();
    this.#marks.push({ at: now, revision: await deps.store.currentRevision() });
    const old = this.#marks.filter(({ at }) => at <= now - historyMs).at(-1);
    if (old === undefined) return;
    this.#marks = this.#marks.filter(({ at }) => at > old.at);
    await this.#keepRevisions(now);
    await deps.store.compact(old.revision);
  }

  /** Rejects when they cannot be kept, but not for ever: a disk that is full of history gets room by compaction alone. */
  async #keepRevisions(now: number): Promise<void> {
    try {
      await this.#options.deps.revisions.keeper.catchUp();
      this.#failingSince = undefined;
    } catch (error) {
      this.#failingSince ??= now;
      if (now - this.#failingSince < this.#options.historyMs) throw error;
      this.#options.onFailure('keeping revisions', error);
    }
  }

  async #expire(): Promise<void> {
    const { store, clock } = this.#options.deps;
    for (;;) {
      const expired = await store.expired(clock.now().getTime(), expiryBatch);
      const removals = expired.map(({ key, revision, value }) =>
        store.commit({ writes: [{ type: 'delete', key, expect: { type: 'revision', revision }, value }] }),
      );
      for (const outcome of await Promise.allSettled(removals)) {
        if (outcome.status === 'rejected' && !isError(outcome.reason, 'PreconditionFailed')) throw outcome.reason;
      }
      if (expired.length < expiryBatch) return;
    }
  }
}
