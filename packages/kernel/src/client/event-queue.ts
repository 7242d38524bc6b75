import { ChandleryError } from '@chandlery/api';
import type { WatchItem } from '../resources/watch.ts';
import { clientFailure } from './client-failure.ts';

/** From this length on, producers that can wait are asked to. */
const highWaterMark = 1000;
/** A reader that lags further behind is cut off; it resumes where it was. */
const maxLength = 20_000;

/** The events of a watch, in order, until its one reader takes them. */
export class EventQueue {
  #items: WatchItem[] = [];
  #ending: { readonly error: unknown } | undefined;
  #arrival: PromiseWithResolvers<void> | undefined;
  #room: PromiseWithResolvers<void> | undefined;

  /** Adds; the promise, where there is one, is kept when the reader has caught up. */
  push(items: readonly WatchItem[]): Promise<void> | undefined {
    if (this.#ending !== undefined || items.length === 0) return undefined;
    for (const item of items) this.#items.push(item);
    this.#arrival?.resolve();
    if (this.#items.length > maxLength) this.end();
    if (this.#ending !== undefined || this.#items.length < highWaterMark) return undefined;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  /** Nothing follows what was pushed so far but the error, if there is one. Only the first end counts. */
  end(error?: unknown): void {
    this.#ending ??= { error };
    this.#arrival?.resolve();
    this.#room?.resolve();
  }

  /**
   * All that is there, or that comes next; undefined at the end. Rejects with what the queue ended with, and with
   * `WatchStalled` when nothing comes for `idleMs`.
   */
  async take(idleMs?: number): Promise<readonly WatchItem[] | undefined> {
    if (this.#items.length === 0 && this.#ending === undefined) await this.#somethingNew(idleMs);
    const items = this.#items;
    this.#items = [];
    this.#room?.resolve();
    this.#room = undefined;
    if (items.length > 0) return items;
    if (this.#ending?.error !== undefined) throw clientFailure(this.#ending.error);
    return undefined;
  }

  async #somethingNew(idleMs: number | undefined): Promise<void> {
    this.#arrival = Promise.withResolvers();
    const timer = idleMs === undefined ? undefined : setTimeout(() => this.end(stalled(idleMs)), idleMs);
    await this.#arrival.promise;
    clearTimeout(timer);
    this.#arrival = undefined;
  }
}

const stalled = (idleMs: number): ChandleryError =>
  new ChandleryError('WatchStalled', `the watch received no events for ${idleMs} ms`, {
    hint: 'Watch again from the last resourceVersion.',
  });
