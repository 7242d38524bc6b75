import type { Registry, RowOf, Table, TableName } from '../../../model/rows.ts';
import type { ResourceHandler } from '../resource-handler.ts';

/** A row of any table. */
export type AnyRow = RowOf[TableName];

/** What some handlers say besides what all do. */
interface HandlerExtras<T extends TableName> {
  /** Fields that only operators may ask for. Default none. */
  readonly hiddenFields?: readonly string[];
  /** Whether the row belongs to the service manager itself and can be neither changed nor deleted. Default: none does. */
  isProtected?(row: RowOf[T]): boolean;
  /** Whether `force` is understood together with `cascade`. Default: for instances and bindings. */
  readonly hasForce?: boolean;
  /** What a list refuses. Throws. Default: nothing. */
  checkList?(query: URLSearchParams): void;
}

/** A handler of one table. */
export type RestHandler<T extends TableName> = ResourceHandler<T> & HandlerExtras<T>;

/** A handler of whichever table. */
export type AnyHandler = { [T in TableName]: RestHandler<T> }[TableName];

/** A handler whose table is forgotten, as everything that treats all alike needs it. */
export type ErasedHandler = RestHandler<TableName>;

/** Forgets which table a handler is for. Its own rows are all that it may be given. */
export const erased = (handler: AnyHandler): ErasedHandler => handler as unknown as ErasedHandler;

/** The table of a handler, with rows that only the handler understands. */
export const tableOf = (registry: Registry, { table }: Pick<ErasedHandler, 'table'>): Table<AnyRow, string> =>
  registry[table];
