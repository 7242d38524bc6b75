import { DatabaseSync } from 'node:sqlite';

/** The database's name inside the data folder. */
export const databaseFile = 'store.sqlite';

/**
 * Opens the one connection that writes.
 *
 * Its cache is small on purpose: whenever a page of an index is split, SQLite looks through the whole cache at the end of the
 * transaction, which costs more than reading a page again from the system's cache. SQLite never checkpoints by itself, because
 * checksums of the pages are recorded with every checkpoint: see `WalCheckpointer`.
 */
export function openForWriting(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 5000 });
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA cache_size = -16384;
    PRAGMA wal_autocheckpoint = 0;
    PRAGMA journal_size_limit = 100000000;
    PRAGMA temp_store = MEMORY;
  `);
  return database;
}

/**
 * Opens a connection that only reads. It is opened for writing all the same, because a reader of a write-ahead log
 * must be able to keep the log's index.
 */
export function openForReading(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 5000 });
  database.exec('PRAGMA query_only = ON; PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY;');
  return database;
}
