import type { ObjectOf } from '@chandlery/api';
import type { Row } from './row.ts';
import type { RegistryWrite, RowTypes } from './row-writes.ts';
import type { Table } from './table.ts';
import type { AnyTableDefinition } from './table-definition.ts';

/** The definitions of a registry's tables, by the names of the tables. */
export type TableDefinitions = Readonly<Record<string, AnyTableDefinition>>;

type RowOfDefinition<D extends AnyTableDefinition> =
  ObjectOf<D['kind']> extends infer Object extends { spec: unknown; status?: unknown } ? Row<Object> : never;

/** The row type of each table. */
export type RowsOf<Definitions extends TableDefinitions> = {
  [Name in keyof Definitions]: RowOfDefinition<Definitions[Name]>;
};

/** The index names of each table. */
export type IndexNamesOf<Definitions extends TableDefinitions> = {
  [Name in keyof Definitions]: keyof Definitions[Name]['indexes'] & string;
};

/** Tables by name, given the row type and the index names of each. */
export type TablesOf<Rows, IndexNames extends Readonly<Record<keyof Rows, string>>> = {
  readonly [Name in keyof Rows]: Table<Rows[Name], IndexNames[Name]>;
};

/** What a registry has besides its tables. */
export interface RegistryCore<Rows extends RowTypes<Rows>> extends AsyncDisposable {
  /** Resolves when all tables are filled; rejects with `Stopped` when the registry is disposed of before. Requests must not be served earlier. */
  readonly synced: Promise<void>;
  /**
   * Commits all or nothing, durably; the tables show it when this resolves. Rejects with `Conflict` when a row has
   * changed since it was read (read again and decide again), `AlreadyExists` for an id that is taken,
   * `UniqueViolation` with the unique key's name in `details.kind`.
   */
  commit(writes: readonly RegistryWrite<Rows>[]): Promise<void>;
  /** Reads the data of a Secret; undefined when there is none. */
  readSecret(tenant: string, name: string): Promise<Readonly<Record<string, string>> | undefined>;
  /** Returns a new random id. */
  newId(): string;
  /** Returns the current time with microseconds, strictly later than any time it has returned before. */
  now(): string;
}

/** All rows of some kinds in memory, and the one way to change them. */
export type Registry<Definitions extends TableDefinitions> = TablesOf<RowsOf<Definitions>, IndexNamesOf<Definitions>> &
  RegistryCore<RowsOf<Definitions>>;
