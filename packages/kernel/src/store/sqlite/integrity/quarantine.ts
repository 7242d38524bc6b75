import { closeSync, copyFileSync, fsyncSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import type { StoreFiles } from './store-files.ts';
import { pageSize } from './wal-file.ts';

const poison = Buffer.alloc(pageSize, 0xff);

/**
 * Makes damaged pages unreadable, so that SQLite rejects every read and write that needs one of them instead of taking what
 * it finds there for good. Their content is appended to the quarantine file first: the page's number (4 bytes, big-endian)
 * and its bytes. No connection may be open.
 */
export function quarantinePages({ database, quarantine }: StoreFiles, pages: readonly number[]): void {
  const source = openSync(database, 'r+');
  const target = openSync(quarantine, 'a', 0o600);
  try {
    for (const page of pages) {
      const record = Buffer.alloc(4 + pageSize);
      record.writeUInt32BE(page, 0);
      readSync(source, record, 4, pageSize, (page - 1) * pageSize);
      if (record.subarray(4).equals(poison)) continue;
      writeSync(target, record);
      fsyncSync(target);
      writeSync(source, poison, 0, pageSize, (page - 1) * pageSize);
    }
    fsyncSync(source);
  } finally {
    closeSync(source);
    closeSync(target);
  }
}

/** Keeps a copy of a damaged log: SQLite overwrites what it cannot read of it. */
export const keepDamagedLog = ({ wal }: StoreFiles): void => copyFileSync(wal, `${wal}-damaged`);

/** Removes a log that is older than the database. SQLite would lay its pages over newer ones. */
export function dropLog({ database, wal }: StoreFiles): void {
  rmSync(wal, { force: true });
  rmSync(`${database}-shm`, { force: true });
}
