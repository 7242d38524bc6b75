import { type RegistryWrite, type RowOf, type TableName, updateRow } from '../rows.ts';

/** Writes a row as it is: of two commits that do so after the same read, only one succeeds. */
export function touchRow<T extends TableName>(table: T, row: RowOf[T]): RegistryWrite {
  return updateRow<T>({ table, row, status: row.status });
}
