import { headSum, versionChecksum, versionContentSum } from './row-checksum.ts';
import { type Change, formatKey, type ObjectKey, type SnapshotObject, type StoredObject } from './store.ts';
import { damagedObject } from './store-errors.ts';

/** The types of changes by the numbers that stand for them in the databases. */
export const changeTypes = ['created', 'updated', 'deleted'] as const;

/** A version of an object as the statements of all drivers select it. */
export interface VersionRow {
  readonly cluster: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  readonly created_revision: number;
  readonly previous_revision: number | null;
  readonly type: number;
  readonly object_id: number;
  /** A list in the driver's own notation. */
  readonly log_terms: string;
  readonly splice: number;
  /** Null when the object's current version is missing. */
  readonly value: Uint8Array | null;
  /** Null for rows that were written before there were checksums and have not been upgraded yet. */
  readonly checksum: number | null;
}

/** A version with what the drivers have already decoded each in its own way. */
export interface SnapshotRow extends VersionRow {
  readonly terms: readonly number[];
  readonly unique_keys: readonly string[];
  readonly expires_at: number | null;
}

/** Throws `StoreDamaged` unless the row is what was written. */
export function verifiedValue(row: VersionRow): Uint8Array {
  const problem = versionProblem(row);
  if (problem !== undefined) throw damagedObject(formatKey(row), problem);
  return row.value as Uint8Array;
}

/** What is wrong with a version's row; undefined when it is what was written. */
export function versionProblem(row: VersionRow): string | undefined {
  if (!(row.value instanceof Uint8Array)) return `its version at revision ${row.revision} is missing`;
  if (row.checksum === null) return undefined;
  const sum = versionChecksum(versionContentSum(headSum(row, row.log_terms), row.splice, row.value), row);
  return sum === row.checksum ? undefined : `its version at revision ${row.revision} does not match its checksum`;
}

export const toObject = (row: VersionRow): StoredObject => ({
  key: keyOf(row),
  revision: row.revision,
  createdRevision: row.created_revision,
  value: { bytes: verifiedValue(row), splice: row.splice },
});

const keyOf = ({ cluster, resource, namespace, name }: ObjectKey): ObjectKey => ({
  cluster,
  resource,
  namespace,
  name,
});

export const toChange = (row: VersionRow): Change => ({
  key: keyOf(row),
  revision: row.revision,
  value: { bytes: verifiedValue(row), splice: row.splice },
  type: changeTypes[row.type] ?? 'updated',
  ...(row.previous_revision === null ? {} : { previousRevision: row.previous_revision }),
});

export const toSnapshotObject = (row: SnapshotRow): SnapshotObject => ({
  ...toObject(row),
  terms: row.terms,
  unique: row.unique_keys,
  ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
});
