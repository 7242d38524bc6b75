import { Emitter } from '@chandlery/platform';
import type pg from 'pg';
import type { AdvanceListener, Change } from '../store.ts';
import type { Database } from './database.ts';
import * as statements from './read-statements.ts';

const pollMs = 1000;
const maxPauseMs = 5000;

/**
 * Knows when new revisions may be visible: from our own commits at once, from those of other replicas by LISTEN, and
 * by a slow poll should a notification get lost with its connection.
 */
export class AdvanceWatch implements Disposable {
  readonly #database: Database;
  readonly #listeners = new Emitter<Parameters<AdvanceListener>>();
  readonly #poll: NodeJS.Timeout;
  #client: pg.Client | undefined;
  #retry: NodeJS.Timeout | undefined;
  #pauseMs = 100;
  #known = 0;
  #isClosed = false;

  constructor(database: Database) {
    this.#database = database;
    // A connection to the server before this one may live on, and report nothing of what happens now.
    database.onFailover(() => this.#client && this.#lost(this.#client));
    this.#poll = setInterval(() => void this.#lookUp(), pollMs).unref();
    void this.#listen();
  }

  add(listener: AdvanceListener): () => void {
    return this.#listeners.add(listener);
  }

  /** Our own commits up to `revision` are visible. Their changes are passed on, even if a notification came first. */
  committed(revision: number, changes: readonly Change[] | undefined): void {
    const isNew = revision > this.#known;
    this.#known = Math.max(this.#known, revision);
    if (isNew || changes !== undefined) this.#listeners.emit(changes);
  }

  /**
   * Notifies all listeners unless they were last notified of this very revision. A lower one counts as new: a server
   * restored from a backup continues from there.
   */
  advanceTo(revision: number): void {
    if (revision === this.#known) return;
    this.#known = revision;
    this.#listeners.emit();
  }

  /** Stops watching. The connection that listens ends by itself, at the latest with the database's others. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    clearInterval(this.#poll);
    clearTimeout(this.#retry);
    this.#client?.end().catch(() => {});
  }

  /** Revisions become visible in order, so one that is not the highest we know of was included in that. */
  #received(revision: number): void {
    if (revision > this.#known) this.advanceTo(revision);
  }

  async #lookUp(): Promise<void> {
    try {
      const [row] = await this.#database.read<{ revision: number }>(statements.window);
      this.advanceTo(row?.revision ?? 0);
    } catch {
      // The user of the store gets the error; the next poll tries again.
    }
  }

  async #listen(): Promise<void> {
    let client: pg.Client;
    try {
      client = await this.#database.newClient();
    } catch {
      this.#retryLater();
      return;
    }
    if (this.#isClosed) return;
    this.#client = client;
    client.on('notification', ({ payload }) => this.#received(Number(payload)));
    client.on('error', () => this.#lost(client));
    client.on('end', () => this.#lost(client));
    try {
      await client.connect();
      await client.query(`LISTEN ${this.#database.schema}`);
      this.#pauseMs = 100;
      await this.#lookUp();
    } catch {
      this.#lost(client);
    }
  }

  /** The error, the end and the failed attempt of one connection may all be reported; one new attempt follows. */
  #lost(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    client.end().catch(() => {});
    this.#retryLater();
  }

  #retryLater(): void {
    if (this.#isClosed) return;
    this.#retry = setTimeout(() => void this.#listen(), this.#pauseMs * (0.5 + Math.random())).unref();
    this.#pauseMs = Math.min(this.#pauseMs * 2, maxPauseMs);
  }
}
