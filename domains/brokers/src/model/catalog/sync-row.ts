import { isSameJson } from '@chandlery/runtime';
import type { Viewed } from '../resources/resource.ts';
import { createRow, type RegistryWrite, type RowOf, updateRow } from '../rows.ts';

/** Tables whose rows come from catalogs. */
type CatalogTable = 'offerings' | 'plans';

/** A row as it will be, and the writes that make it so. */
export interface SyncedRow<T extends CatalogTable> {
  readonly row: Viewed<RowOf[T]>;
  readonly writes: readonly RegistryWrite[];
}

interface RowToSync<T extends CatalogTable> {
  readonly id: string;
  readonly tenant: string;
  /** Undefined when there is none yet. */
  readonly before: RowOf[T] | undefined;
  /** Without labels: they are the row's own. */
  readonly spec: Omit<RowOf[T]['spec'], 'labels'>;
  readonly now: string;
}

/** Makes a row say what the catalog says. Writes nothing when it does already. */
export function syncRow<T extends CatalogTable>(table: T, wanted: RowToSync<T>): SyncedRow<T> {
  const { id, tenant, before, now } = wanted;
  const labels = before?.spec.labels;
  const spec = { ...wanted.spec, ...(labels === undefined ? {} : { labels }) } as RowOf[T]['spec'];
  if (before === undefined) {
    const status = { ready: true };
    const write = createRow({ table, id, tenant, spec, status });
    return { row: { id, createdAt: now, updatedAt: now, spec, status }, writes: [write] };
  }
  if (isSameJson(before.spec, spec)) return { row: before, writes: [] };
  return { row: { ...before, spec, updatedAt: now }, writes: [updateRow({ table, row: before, spec })] };
}
