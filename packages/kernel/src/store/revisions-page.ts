import { changeTypes, toObject, type VersionRow } from './rows.ts';
import type { Revision, RevisionsPage, RevisionsQuery } from './store.ts';

/** A kept version as the statements of all drivers select it. */
export interface RevisionRow extends VersionRow {
  readonly at: number;
}

/** A page of rows, of which the query has asked for one more than its limit. */
export function revisionsPage(
  rows: Iterable<RevisionRow>,
  { limit, maxBytes = Number.POSITIVE_INFINITY }: RevisionsQuery,
): RevisionsPage {
  const items: Revision[] = [];
  let bytes = 0;
  for (const row of rows) {
    if (items.length === limit || bytes >= maxBytes) return { items, more: true };
    items.push({ ...toObject(row), type: changeTypes[row.type] ?? 'updated', at: row.at });
    bytes += row.value?.length ?? 0;
  }
  return { items, more: false };
}
