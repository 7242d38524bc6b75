import { damagedStore } from '../store-errors.ts';

/** The one row of `meta`: the counters of the store. */
export interface MetaRow {
  readonly revision: number;
  readonly compacted: number;
  readonly swept: number;
  /** Null before the upgrade. */
  readonly checksum: number | null;
}

/** The checksum of the row as an SQL expression, so that one statement can change the revision and the checksum. */
export const metaChecksumSql = (revision = 'revision'): string => `${revision} * 3 + compacted * 5 + swept * 7 + 11`;

/** Throws `StoreDamaged` unless the counters are what was written. */
export function verifyMeta(row: MetaRow | undefined): MetaRow {
  if (row === undefined) throw damagedStore('its counters are missing');
  const { revision, compacted, swept, checksum } = row;
  if (checksum !== null && checksum !== revision * 3 + compacted * 5 + swept * 7 + 11)
    throw damagedStore('its counters do not match their checksum');
  return row;
}
