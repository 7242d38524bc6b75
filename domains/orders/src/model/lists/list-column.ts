/** What a column reads of a record: one value, several (as tags are), or none. */
export type ColumnValue = string | number | readonly string[] | undefined;

/** A column that filters and orders may name. */
export interface ListColumn<R> {
  /** Times compare as times, whatever their zone and precision; texts by code units. */
  readonly type: 'text' | 'time' | 'number';
  readonly value: (record: R) => ColumnValue;
}

/** The columns of a list, by name. */
export type ListColumns<R> = ReadonlyMap<string, ListColumn<R>>;

/** Makes columns from functions: texts, except for times and numbers. */
export const columnsOf = <R>(columns: {
  readonly text?: Readonly<Record<string, (record: R) => ColumnValue>>;
  readonly time?: Readonly<Record<string, (record: R) => ColumnValue>>;
  readonly number?: Readonly<Record<string, (record: R) => ColumnValue>>;
}): ListColumns<R> => {
  const types = ['text', 'time', 'number'] as const;
  return new Map(
    types.flatMap(type => Object.entries(columns[type] ?? {}).map(([name, value]) => [name, { type, value }] as const)),
  );
};

/** Finds a column; `created_at` is the same as `created-at`. */
export const findColumn = <R>(columns: ListColumns<R>, name: string): ListColumn<R> | undefined =>
  columns.get(name.toLowerCase().replaceAll('_', '-'));

/** The names of columns, for messages. */
export const columnNames = (columns: ListColumns<never>): string => [...columns.keys()].sort().join(', ');
