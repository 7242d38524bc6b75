import type { DatabaseSync } from 'node:sqlite';
import {
  headSum,
  objectChecksum,
  objectContentSum,
  textChecksum,
  versionChecksum,
  versionContentSum,
} from '../row-checksum.ts';
import type { VersionRow } from '../rows.ts';
import { metaChecksumSql } from './meta-row.ts';
import { checksumLevel } from './schema.ts';

/** Where an upgrade stands: the next rows have greater ids. */
export interface UpgradePosition {
  readonly table: 'log' | 'objects';
  readonly after: number;
}

export const upgradeStart: UpgradePosition = { table: 'log', after: 0 };

const uncheckedVersions = `
SELECT l.*, l.terms AS log_terms, c.cluster, c.resource
FROM log l JOIN collections c ON c.id = l.collection_id
WHERE l.revision > ? AND l.checksum IS NULL ORDER BY l.revision LIMIT ?`;

const uncheckedObjects = `
SELECT o.*, c.cluster, c.resource FROM objects o NOT INDEXED JOIN collections c ON c.id = o.collection_id
WHERE o.id > ? AND o.checksum IS NULL ORDER BY o.id LIMIT ?`;

type ObjectRow = Omit<VersionRow, 'terms'> & {
  readonly id: number;
  readonly terms: string;
  readonly unique_keys: string | null;
  readonly expires_at: number | null;
};

/**
 * Gives the next rows of a database of an earlier version their checksums. Returns where to continue, and undefined when
 * all have one. Runs inside its caller's transaction.
 */
export function upgradeRows(
  database: DatabaseSync,
  { table, after }: UpgradePosition,
  limit: number,
): UpgradePosition | undefined {
  const last = table === 'log' ? upgradeVersions(database, after, limit) : upgradeObjects(database, after, limit);
  if (last !== undefined) return { table, after: last };
  if (table === 'log') return { table: 'objects', after: 0 };
  upgradeSmallTables(database);
  return undefined;
}

function upgradeVersions(database: DatabaseSync, after: number, limit: number): number | undefined {
  const rows = database.prepare(uncheckedVersions).all(after, limit) as unknown as VersionRow[];
  const update = database.prepare('UPDATE log SET checksum = ? WHERE revision = ?');
  for (const row of rows) {
    const sum = versionContentSum(headSum(row, row.log_terms), row.splice, row.value ?? new Uint8Array());
    update.run(versionChecksum(sum, row), row.revision);
  }
  return rows.at(-1)?.revision;
}

function upgradeObjects(database: DatabaseSync, after: number, limit: number): number | undefined {
  const rows = database.prepare(uncheckedObjects).all(after, limit) as unknown as ObjectRow[];
  const update = database.prepare('UPDATE objects SET checksum = ? WHERE id = ?');
  for (const row of rows) {
    const details = { unique: row.unique_keys, expiresAt: row.expires_at };
    const sum = objectChecksum(objectContentSum(headSum(row, row.terms), details), row.revision, row.created_revision);
    update.run(sum, row.id);
  }
  return rows.at(-1)?.id;
}

function upgradeSmallTables(database: DatabaseSync): void {
  database.exec(`UPDATE meta SET checksum = ${metaChecksumSql()}`);
  const collections = database.prepare('SELECT id, resource, cluster FROM collections').all();
  const update = database.prepare('UPDATE collections SET checksum = ? WHERE id = ?');
  for (const { id, resource, cluster } of collections)
    update.run(textChecksum(String(resource), String(cluster)), Number(id));
  for (const { name, value } of database.prepare('SELECT name, value FROM facts').all())
    writeFact(database, String(name), String(value));
  writeFact(database, 'store.level', String(checksumLevel));
}

/** Writes a fact whether there is one or not. */
export function writeFact(database: DatabaseSync, name: string, value: string): void {
  database
    .prepare('INSERT OR REPLACE INTO facts (name, value, checksum) VALUES (?, ?, ?)')
    .run(name, value, textChecksum(name, value));
}
