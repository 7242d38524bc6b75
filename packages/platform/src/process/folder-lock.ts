import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ChandleryError } from '@chandlery/api';
import { makeFolder } from '../files/make-folder.ts';
import { readFileIfPresent } from '../files/private-files.ts';

/** Holds a data folder for this process until disposed of, or until the process ends in whatever way. */
export interface FolderLock extends Disposable {
  readonly folder: string;
}

const sqliteBusy = 5;

/**
 * Takes a folder for this process alone, making the folder if need be. Rejects with `FolderInUse` when another holds it.
 *
 * The lock is SQLite's, on an empty database: a lock of the operating system that ends with the process, even by
 * `kill -9`, and works alike everywhere. The process id beside it is for people only.
 */
export function lockFolder(folder: string): FolderLock {
  createFolder(folder);
  const pidFile = join(folder, 'lock.pid');
  const database = holdDatabase(folder, pidFile);
  writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  const release = (): void => {
    process.off('exit', release);
    if (!database.isOpen) return;
    // Removed while still locked, so that it is never the next holder's.
    rmSync(pidFile, { force: true });
    database.close();
  };
  // Also keeps the database from being collected, and the lock with it, when the caller drops the result.
  process.on('exit', release);
  return { folder, [Symbol.dispose]: release };
}

function createFolder(folder: string): void {
  try {
    makeFolder(folder, 0o700);
  } catch (cause) {
    throw notUsable(folder, cause);
  }
}

function holdDatabase(folder: string, pidFile: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    const path = join(folder, 'lock.db');
    // A process that can read the file can keep us from locking it. SQLite gives its journal the same mode.
    closeSync(openSync(path, 'a', 0o600));
    database = new DatabaseSync(path, { timeout: 0 });
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (cause) {
    database?.close();
    throw (cause as { errcode?: number }).errcode === sqliteBusy
      ? inUse(folder, pidFile, cause)
      : notUsable(folder, cause);
  }
}

function inUse(folder: string, pidFile: string, cause: unknown): ChandleryError {
  const pid = readFileIfPresent(pidFile)?.trim() ?? '';
  const holder = /^\d+$/.test(pid) ? `process ${pid}` : 'another process';
  return new ChandleryError('FolderInUse', `the data folder ${folder} is in use by ${holder}`, {
    hint: 'Stop that process, or choose another folder with --data-dir.',
    cause,
  });
}

const notUsable = (folder: string, cause: unknown): ChandleryError =>
  new ChandleryError('FolderNotUsable', `cannot use the data folder ${folder}: ${(cause as Error).message}`, {
    hint: 'Check that the folder may be written by this user, or choose another one with --data-dir.',
    cause,
  });
