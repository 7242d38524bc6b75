import { randomBytes } from 'node:crypto';
import { isError } from '@chandlery/api';
import { storeErrorCodes } from '../store.ts';
import { unavailable } from '../store-errors.ts';
import type { Database } from './database.ts';

/** A probe of the store returns within this time, also while tables are locked. */
const timeoutMs = 2000;
const probeBytes = 192 * 1024;

/** Finds out whether the server takes writes. */
export class WriteProbe {
  readonly #database: Database;
  /** A write has failed, and none of realistic size has succeeded since. */
  #isSuspect = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Remembers that a write failed for the server's trouble. Returns the failure. */
  noteFailure<T>(failure: T): T {
    if (isError(failure, storeErrorCodes.Unavailable)) this.#isSuspect = true;
    return failure;
  }

  /** Rejects with `Unavailable` while the server takes no writes. */
  async check(): Promise<void> {
    const [row] = await this.#database.read<{ state: string }>(readOnlyState, [], timeoutMs);
    if (row?.state !== 'off')
      throw unavailable(`PostgreSQL at ${this.#database.place} takes no writes: it is read-only`);
    if (this.#isSuspect) await this.#write();
  }

  /** As much as a large object takes; random, because the server would compress it otherwise. */
  async #write(): Promise<void> {
    await using connection = await this.#database.connect('write');
    await connection.run('BEGIN');
    await connection.run(`SET LOCAL statement_timeout = ${timeoutMs}`);
    await connection.run(
      'INSERT INTO facts (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2',
      ['store.probe', randomBytes(probeBytes).toString('base64')],
    );
    await connection.run('COMMIT');
    this.#isSuspect = false;
    await connection.run(`DELETE FROM facts WHERE name = 'store.probe'`);
  }
}

const readOnlyState = {
  name: 'check',
  text: `SELECT current_setting('transaction_read_only') AS state FROM meta LIMIT 1`,
};
