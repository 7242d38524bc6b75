import { existsSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { CommitMark } from './commit-mark.ts';
import { storeFiles } from './store-files.ts';
import { WalFile } from './wal-file.ts';

const beginning = { salt1: 0, salt2: 0, frame: 0, sum1: 0, sum2: 0 } as const;

/** Keeps the mark of acknowledged writes while one connection writes. */
export class Acknowledger {
  readonly #walPath: string;
  readonly #mark: CommitMark;
  readonly #log: StatementSync;
  #wal: WalFile | undefined;
  #revision: number;

  constructor(path: string, database: DatabaseSync) {
    const { wal, mark } = storeFiles(path);
    this.#walPath = wal;
    this.#mark = new CommitMark(mark);
    this.#log = database.prepare('PRAGMA wal_checkpoint(NOOP)');
    this.#revision = this.#mark.last?.revision ?? 0;
  }

  /**
   * To be called after each transaction, before it is acknowledged as durable. Never throws: the transaction has
   * happened, and an older mark is merely less strict.
   */
  committed(revision: number): void {
    try {
      this.#revision = Math.max(this.#revision, revision);
      const frame = Number(this.#log.get()?.log);
      this.#wal ??= new WalFile(this.#walPath);
      const position = frame > 0 ? this.#wal.positionOf(frame) : beginning;
      if (position !== undefined) this.#mark.write({ ...position, revision: this.#revision, state: 'open' });
    } catch {
      // See above.
    }
  }

  /** Closes the database, after which the log may no longer exist. */
  close(closeDatabase: () => void): void {
    const last = this.#mark.last;
    try {
      this.#wal?.[Symbol.dispose]();
      if (last !== undefined) this.#mark.write({ ...last, state: 'closing' });
      this.#mark.sync();
    } finally {
      closeDatabase();
    }
    if (!existsSync(this.#walPath)) this.#mark.write({ ...beginning, revision: this.#revision, state: 'closed' });
    this.#mark[Symbol.dispose]();
  }
}
