import { constants, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { Damage } from '../../store.ts';
import { databaseFile } from '../open-database.ts';
import { openSqliteStore } from '../sqlite-store.ts';
import { type AcknowledgedPosition, CommitMark } from './commit-mark.ts';
import { lossFact, lossMessage } from './loss.ts';
import { buildPageChecksums } from './page-checksums.ts';
import { type StoreFiles, storeFiles } from './store-files.ts';
import { verifyFiles } from './verify-files.ts';
import { verifyRows } from './verify-rows.ts';

/** Verifies every byte and every row of a store that no process has open. Changes nothing. */
export function verifySqliteFolder(folder: string): readonly Damage[] {
  const files = storeFiles(join(folder, databaseFile));
  if (!existsSync(files.database)) return [{ kind: 'structure', message: `there is no database in ${folder}` }];
  const { damage, acknowledged } = verifyFiles(files);
  return [...damage, ...verifyContent(files, acknowledged)];
}

/** SQLite would remove a log that it has opened, so a database that has one is verified as a copy. */
function verifyContent(files: StoreFiles, acknowledged: AcknowledgedPosition | undefined): Damage[] {
  if (!existsSync(files.wal) || statSync(files.wal).size === 0) {
    const url = pathToFileURL(files.database);
    url.searchParams.set('immutable', '1');
    return verifyDatabase(url, { readOnly: true }, acknowledged);
  }
  const folder = mkdtempSync(`${files.database}-verify-`);
  try {
    const copy = storeFiles(join(folder, databaseFile));
    copyFileSync(files.database, copy.database, constants.COPYFILE_FICLONE);
    copyFileSync(files.wal, copy.wal, constants.COPYFILE_FICLONE);
    return verifyDatabase(pathToFileURL(copy.database), {}, acknowledged);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function verifyDatabase(
  url: URL,
  options: { readOnly?: boolean },
  acknowledged: AcknowledgedPosition | undefined,
): Damage[] {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(url, options);
    return [...lossDamage(database, acknowledged), ...verifyRows(database).damage];
  } catch (failure) {
    return [{ kind: 'structure', message: `SQLite cannot open the database: ${(failure as Error).message}` }];
  } finally {
    database?.close();
  }
}

function lossDamage(database: DatabaseSync, acknowledged: AcknowledgedPosition | undefined): Damage[] {
  const revision = Number(database.prepare('SELECT revision FROM meta').get()?.revision);
  const damage: Damage[] = [];
  if (acknowledged !== undefined && acknowledged.revision > revision)
    damage.push({ kind: 'lost', message: lossMessage(revision, acknowledged.revision) });
  const recorded = database.prepare('SELECT value FROM facts WHERE name = ?').get(lossFact)?.value;
  if (typeof recorded === 'string') damage.push({ kind: 'lost', message: recorded });
  return damage;
}

/**
 * Accepts a store as it is, on the operator's decision: the checksums of pages are computed again, and a loss of
 * acknowledged writes is no longer reported. Rows keep their checksums. No process may have the store open.
 */
export async function acceptSqliteFolder(folder: string): Promise<void> {
  const files = storeFiles(join(folder, databaseFile));
  // Deals with a damaged log the way every start does.
  await (await openSqliteStore({ folder }))[Symbol.asyncDispose]();
  const database = new DatabaseSync(files.database);
  database.prepare('DELETE FROM facts WHERE name = ?').run(lossFact);
  const revision = Number(database.prepare('SELECT revision FROM meta').get()?.revision);
  // The last connection checkpoints all of the log and removes it.
  database.close();
  buildPageChecksums(files.database, files.pages);
  using mark = new CommitMark(files.mark);
  for (let slot = 0; slot < 2; slot++)
    mark.write({ revision, salt1: 0, salt2: 0, frame: 0, sum1: 0, sum2: 0, state: 'closed' });
}
