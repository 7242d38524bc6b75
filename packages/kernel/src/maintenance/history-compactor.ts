import { isError } from '@chandlery/api';
import type { ResourceNeeds } from '../resources/request.ts';

export interface HistoryKeeperOptions {
  readonly needs: ResourceNeeds;
  readonly historyMs: number;
  readonly onFailure: (what: string, error: unknown) => void;
}

const expiryEveryMs = 15_000;
const expiryBatch = 500;

/** Removes expired objects, and forgets history older than it has to be kept. */
export class HistoryKeeper {
  readonly #options: HistoryKeeperOptions;
  #timers: NodeJS.Timeout[] = [];
  /** Revisions of the recent past, oldest first. */
  #marks: { at: number; revision: number }[] = [];
  #running: Promise<void> = Promise.resolve();

  constructor(options: HistoryKeeperOptions) {
    this.#options = options;
  }

  start(): void {
    const markEveryMs = Math.max(1000, this.#options.historyMs / 10);
    this.#timers = [
      setInterval(() => this.#run('compaction', () => this.#compact()), markEveryMs),
      setInterval(() => this.#run('expiry', () => this.#expire()), expiryEveryMs),
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
    const { needs, historyMs } = this.#options;
    const now = needs.clock.now().getTime();
    this.#marks.push({ at: now, revision: await needs.store.currentRevision() });
    const old = this.#marks.filter(({ at }) => at <= now - historyMs).at(-1);
    if (old === undefined) return;
    this.#marks = this.#marks.filter(({ at }) => at > old.at);
    await needs.store.compact(old.revision);
  }

  async #expire(): Promise<void> {
    const { store, clock } = this.#options.needs;
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
