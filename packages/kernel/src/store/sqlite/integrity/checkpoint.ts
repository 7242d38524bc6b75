import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { openForReading } from '../open-database.ts';
import { buildPageChecksums, forgetPageChecksums, recordCheckpoint } from './page-checksums.ts';
import { storeFiles } from './store-files.ts';

/**
 * Checkpoints the log and records the checksums of the pages that this wrote. The caller makes sure that the log does not
 * restart meanwhile: the writer does nothing else, others use {@link checkpointBeside}. Returns whether nothing is left.
 */
export function checkpoint(path: string, database: DatabaseSync): boolean {
  const files = storeFiles(path);
  const row = database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() as { log: number; checkpointed: number };
  try {
    if (!existsSync(files.pages)) buildPageChecksums(path, files.pages);
    recordCheckpoint(files.pages, files.wal, row.checkpointed);
    return row.log === row.checkpointed;
  } catch (failure) {
    // The log may restart now, and overwrite pages that are not recorded.
    forgetPageChecksums(files.pages);
    throw failure;
  }
}

/** The same while another thread commits: a reader keeps the log from restarting until all is recorded. */
export function checkpointBeside(path: string): void {
  const reader = openForReading(path);
  const database = openForReading(path);
  try {
    reader.exec('BEGIN; SELECT revision FROM meta;');
    checkpoint(path, database);
    reader.exec('COMMIT');
  } finally {
    database.close();
    reader.close();
  }
}
