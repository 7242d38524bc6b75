import type { Table } from '@chandlery/registry';
import type { HistoricalTable } from './history-writes.ts';
import { type HistoryRow, indexTerm, type OrdersRows } from './orders-tables.ts';

/** A record as it was: the fields that lists and records are made of. */
export type Version<Name extends HistoricalTable = HistoricalTable> = Pick<
  OrdersRows[Name],
  'id' | 'tenant' | 'createdAt' | 'updatedAt' | 'spec' | 'status'
> & {
  /** Absent: it is the present version. */
  readonly validTo?: string;
};

type Tables = { readonly [Name in HistoricalTable]: Table<OrdersRows[Name], 'tenant'> } & {
  readonly history: Table<HistoryRow, 'table' | 'tenant' | 'record'>;
};

/**
 * Returns a record as it was at a time; undefined when it did not exist. That is its earliest version that was in force
 * after that time, so changes that leave no entry (the progress of an upload) leave no gap either.
 */
export function recordAt<Name extends HistoricalTable>(
  tables: Tables,
  { table, id, time }: { readonly table: Name; readonly id: string; readonly time: string },
): Version<Name> | undefined {
  const row = tableOf(tables, table).get(id);
  return versionAt<Name>(tables.history.by('record', indexTerm(table, id)), row, time);
}

/** Returns all records of a tenant, or of all, as they were at a time, in no particular order. */
export function recordsAt<Name extends HistoricalTable>(
  tables: Tables,
  { table, tenant, time }: { readonly table: Name; readonly tenant: string | undefined; readonly time: string },
): readonly Version<Name>[] {
  const { history } = tables;
  const entries = tenant === undefined ? history.by('table', table) : history.by('tenant', indexTerm(table, tenant));
  const byRecord = Map.groupBy(entries, ({ spec }) => spec.record);
  const present = tableOf(tables, table);
  const rows = tenant === undefined ? present.all() : present.by('tenant', tenant);
  const found = [...rows].map(row => versionAt<Name>(byRecord.get(row.id) ?? [], row, time));
  const removed = [...byRecord].filter(([id]) => present.get(id) === undefined);
  return [...found, ...removed.map(([, of]) => versionAt<Name>(of, undefined, time))].filter(
    version => version !== undefined,
  );
}

/** A mapped type over all names cannot say that table and rows belong together. */
const tableOf = <Name extends HistoricalTable>(tables: Tables, name: Name): Table<OrdersRows[Name], 'tenant'> =>
  tables[name] as unknown as Table<OrdersRows[Name], 'tenant'>;

function versionAt<Name extends HistoricalTable>(
  entries: Iterable<HistoryRow>,
  row: OrdersRows[Name] | undefined,
  time: string,
): Version<Name> | undefined {
  let earliest: HistoryRow | undefined;
  for (const entry of entries) {
    const { createdAt, validTo } = entry.spec;
    if (row !== undefined && entry.tenant !== row.tenant) continue;
    if (createdAt <= time && validTo > time && (earliest === undefined || validTo < earliest.spec.validTo))
      earliest = entry;
  }
  if (earliest !== undefined) return snapshotOf(earliest);
  return row !== undefined && row.createdAt <= time ? row : undefined;
}

function snapshotOf({ tenant, spec }: HistoryRow): Version {
  const { spec: recordSpec, status } = spec.snapshot as Pick<Version, 'spec' | 'status'>;
  return {
    id: spec.record,
    tenant,
    createdAt: spec.createdAt,
    updatedAt: spec.validFrom,
    validTo: spec.validTo,
    spec: recordSpec,
    status,
  };
}
