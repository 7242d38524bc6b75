/** What happened to a row. */
export interface RowChange<R> {
  readonly type: 'added' | 'changed' | 'removed';
  readonly row: R;
  /** Undefined for `added`. */
  readonly previous?: R;
}

/** A query of a table. */
export interface TableQuery<R, IndexName extends string> {
  /** Only rows that an index has under one of the values. Several indexes: all must hold. Default: all rows. */
  readonly where?: readonly { readonly index: IndexName; readonly values: readonly string[] }[];
  /** A further condition. Default: none. */
  readonly filter?: (row: R) => boolean;
  /** Only rows strictly after this position in the order. Default: from the first. */
  readonly after?: { readonly createdAt: string; readonly id: string };
  /** Default: all. */
  readonly limit?: number;
}

/** Which rows are read from the newest to the oldest. */
export interface NewestRange<IndexName extends string> {
  /** Only rows under a value of an index. Default: all rows. */
  readonly where?: { readonly index: IndexName; readonly value: string };
  /** Only rows strictly before this position in the order. Default: from the newest. */
  readonly before?: { readonly createdAt: string; readonly id: string };
}

/** A page of rows. */
export interface TablePage<R> {
  readonly rows: readonly R[];
  /** How many rows match, whatever the page. */
  readonly total: number;
  /** Whether rows after the last one match. */
  readonly more: boolean;
}

/** All rows of a kind, in memory, in the order of their creation. Reads see what the same process has committed. */
export interface Table<R, IndexName extends string = never> {
  readonly size: number;
  get(id: string): R | undefined;
  /** Rows under a value of an index, in no particular order. Cheap; do not change the table while iterating. */
  by(index: IndexName, value: string): Iterable<R>;
  /** The number of rows under a value of an index. */
  count(index: IndexName, value: string): number;
  /** All rows in order. */
  all(): Iterable<R>;
  /** Rows, the newest first, read as they are asked for. Do not change the table while iterating. */
  newestFirst(range?: NewestRange<IndexName>): Iterable<R>;
  /** A page in order. Costs what the narrowest index has, not what the table has. */
  query(query: TableQuery<R, IndexName>): TablePage<R>;
  /**
   * Notifies a listener of every change from now on, after the table shows it. The listener must return quickly and not
   * throw. Returns a function that removes it.
   */
  listen(listener: (change: RowChange<R>) => void): () => void;
  /** Resolves with the first state of a row for which the test is true (undefined: the row was removed). Rejects with the signal's reason. */
  until(id: string, test: (row: R | undefined) => boolean, signal: AbortSignal): Promise<R | undefined>;
}
