import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ChandleryError, type JsonObject } from '@chandlery/api';
import { backupFile, openStore, readBackup, verifyBackup } from '@chandlery/kernel';
import { adminTokenFile, importKeys, type KeyFiles, lockFolder, writeFileAtomically } from '@chandlery/platform';
import { assertReadable, restoreFormatFacts } from './data-format.ts';

export interface RestoreRequest {
  readonly dataDir: string;
  /** Default: SQLite in the data folder. */
  readonly database?: string;
  readonly file: string;
}

/** What a process leaves that has claimed the folder and stored nothing in it. */
const lockFiles = new Set(['lock.db', 'lock.db-journal', 'lock.pid', 'identity.json']);

/**
 * Fills an empty data folder, and an empty database if one is named, from a backup. Keys and revisions are kept.
 * What a failed attempt has left in the folder is removed again.
 */
export async function restore({
  dataDir,
  database,
  file,
}: RestoreRequest): Promise<{ objects: number; revision: number }> {
  const { count: objects } = await verifyBackup(backupFile(file));
  using _lock = lockFolder(dataDir);
  if (contents(dataDir).length > 0) throw notEmpty(dataDir);
  try {
    const { snapshot, keys, facts } = await readBackup(backupFile(file));
    assertReadable(facts);
    await using store = await openStore(
      database === undefined ? { type: 'sqlite', folder: dataDir } : { type: 'postgres', url: database },
    );
    // Keys first: objects without their keys would be given new ones by the next start.
    importKeys(join(dataDir, 'keys'), keys as KeyFiles);
    importAdminToken(join(dataDir, 'keys'), keys);
    await store.load(snapshot);
    await restoreFormatFacts(store, facts);
    return { objects, revision: snapshot.revision };
  } catch (error) {
    for (const name of contents(dataDir)) rmSync(join(dataDir, name), { recursive: true });
    throw error;
  }
}

/** Backups made before the token was among the keys have none; the next start makes one. */
function importAdminToken(folder: string, { [adminTokenFile]: token }: JsonObject): void {
  if (typeof token === 'string') writeFileAtomically(join(folder, adminTokenFile), token);
}

const contents = (folder: string): string[] => readdirSync(folder).filter(name => !lockFiles.has(name));

const notEmpty = (dataDir: string): ChandleryError =>
  new ChandleryError('NotEmpty', `the data folder ${dataDir} is not empty`, {
    hint: 'restore into a folder that does not exist yet, or move this one away',
  });
