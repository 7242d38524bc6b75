import type { Change, ObjectKey, SnapshotObject, StoredObject } from './store.ts';

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
  readonly splice: number;
  readonly value: Uint8Array;
}

export interface ChangeRow extends Omit<VersionRow, 'created_revision'> {
  readonly type: number;
  readonly previous_revision: number | null;
}

/** A version with what the drivers have already decoded each in its own way. */
export interface SnapshotRow extends VersionRow {
  readonly terms: readonly number[];
  readonly unique_keys: readonly string[];
  readonly expires_at: number | null;
}

export const toObject = (row: VersionRow): StoredObject => ({
  key: keyOf(row),
  revision: row.revision,
  createdRevision: row.created_revision,
  value: { bytes: row.value, splice: row.splice },
});

const keyOf = ({ cluster, resource, namespace, name }: ObjectKey): ObjectKey => ({
  cluster,
  resource,
  namespace,
  name,
});

export const toChange = (row: ChangeRow): Change => ({
  key: keyOf(row),
  revision: row.revision,
  value: { bytes: row.value, splice: row.splice },
  type: changeTypes[row.type] ?? 'updated',
  ...(row.previous_revision === null ? {} : { previousRevision: row.previous_revision }),
});

export const toSnapshotObject = (row: SnapshotRow): SnapshotObject => ({
  ...toObject(row),
  terms: row.terms,
  unique: row.unique_keys,
  ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
});
