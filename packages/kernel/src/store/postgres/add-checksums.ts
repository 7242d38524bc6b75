import { headSum, objectChecksum, objectContentSum, versionChecksum, versionContentSum } from '../row-checksum.ts';
import type { VersionRow } from '../rows.ts';
import type { Database } from './database.ts';
import { objectDetails } from './object-details.ts';
import * as statements from './read-statements.ts';

/** A row of `objects` with its collection. */
export interface ObjectRow {
  readonly id: number;
  readonly cluster: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  readonly created_revision: number;
  readonly expires_at: number | null;
  readonly terms_text: string;
  readonly unique_keys: readonly string[];
  readonly checksum: number | null;
}

const batchSize = 500;

/** Gives rows without a checksum theirs: those of an earlier version. Several replicas may do so at once. */
export async function addChecksums(database: Database, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await addToVersions(database)));
  while (!signal.aborted && (await addToObjects(database)));
}

async function addToVersions(database: Database): Promise<boolean> {
  const rows = await database.read<VersionRow>(statements.uncheckedVersions, [batchSize]);
  if (rows.length === 0) return false;
  const sums = rows.map(row =>
    versionChecksum(versionContentSum(headSum(row, row.log_terms), row.splice, row.value ?? new Uint8Array()), row),
  );
  await update(database, updateVersions, [rows.map(({ revision }) => revision), sums]);
  return rows.length === batchSize;
}

async function addToObjects(database: Database): Promise<boolean> {
  const rows = await database.read<ObjectRow>(statements.uncheckedObjects, [batchSize]);
  if (rows.length === 0) return false;
  const values = [rows.map(({ id }) => id), rows.map(({ revision }) => revision), rows.map(sumOfObject)];
  await update(database, updateObjects, values);
  return rows.length === batchSize;
}

/** The checksum that an object's row should have. */
export function sumOfObject(row: ObjectRow): number {
  const details = objectDetails({ unique: row.unique_keys, expiresAt: row.expires_at });
  return objectChecksum(objectContentSum(headSum(row, row.terms_text), details), row.revision, row.created_revision);
}

async function update(database: Database, sql: string, values: readonly unknown[]): Promise<void> {
  await using connection = await database.connect('write');
  await connection.run(sql, values);
}

const updateVersions = `
UPDATE log l SET checksum = s.sum FROM unnest($1::bigint[], $2::bigint[]) AS s (revision, sum)
WHERE l.revision = s.revision AND l.checksum IS NULL`;

/** An object that was written meanwhile has its checksum from that. */
const updateObjects = `
UPDATE objects o SET checksum = s.sum FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS s (id, revision, sum)
WHERE o.id = s.id AND o.revision = s.revision AND o.checksum IS NULL`;
