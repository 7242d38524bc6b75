import type { AnyRow } from './row.ts';

/** The row type of each table of a registry, by the names of the tables. */
export type RowTypes<Rows> = { readonly [Name in keyof Rows]: { readonly spec: unknown; readonly status: unknown } };

/** Creates a row. The registry sets `createdAt` and `updatedAt` of the status. */
export interface CreateRow<Rows extends RowTypes<Rows>, Name extends keyof Rows = keyof Rows> {
  readonly type: 'create';
  readonly table: Name;
  readonly id: string;
  /** The namespace. Empty for cluster-scoped kinds. */
  readonly tenant: string;
  readonly spec: Rows[Name]['spec'];
  /** Default empty. */
  readonly status?: Rows[Name]['status'];
}

/** Updates a row that is still as it was read. Fields that are not given stay. The registry sets `updatedAt`. */
export interface UpdateRow<Rows extends RowTypes<Rows>, Name extends keyof Rows = keyof Rows> {
  readonly type: 'update';
  readonly table: Name;
  readonly row: Rows[Name];
  readonly spec?: Rows[Name]['spec'];
  readonly status?: Rows[Name]['status'];
}

/** Removes a row that is still as it was read, whatever finalizers its object has. */
export interface RemoveRow<Rows extends RowTypes<Rows>, Name extends keyof Rows = keyof Rows> {
  readonly type: 'remove';
  readonly table: Name;
  readonly row: Rows[Name];
}

/** A precondition: the commit fails with `Conflict` unless the row is still as it was read. */
export interface CheckRow<Rows extends RowTypes<Rows>, Name extends keyof Rows = keyof Rows> {
  readonly type: 'check';
  readonly table: Name;
  readonly row: Rows[Name];
}

/** Creates or replaces a Secret. Secrets are encrypted at rest. */
export interface PutSecret {
  readonly type: 'put-secret';
  readonly tenant: string;
  readonly name: string;
  readonly data: Readonly<Record<string, string>>;
}

/** Removes a Secret, if it is there and the registry made it. */
export interface RemoveSecret {
  readonly type: 'remove-secret';
  readonly tenant: string;
  readonly name: string;
}

/** A write to one table, whichever. {@link rowWriters} makes them with table and row types that agree. */
export type RowWrite<Rows extends RowTypes<Rows>> = {
  [Name in keyof Rows]: CreateRow<Rows, Name> | UpdateRow<Rows, Name> | RemoveRow<Rows, Name> | CheckRow<Rows, Name>;
}[keyof Rows];

/** One part of a commit. Each row at most once. */
export type RegistryWrite<Rows extends RowTypes<Rows>> = RowWrite<Rows> | PutSecret | RemoveSecret;

/** A {@link RowWrite} whose row types are erased. */
export type AnyRowWrite = RowWrite<Readonly<Record<string, AnyRow>>>;

/** A {@link RegistryWrite} whose row types are erased. */
export type AnyWrite = AnyRowWrite | PutSecret | RemoveSecret;

/** Functions that make row writes, typed by table. */
export interface RowWriters<Rows extends RowTypes<Rows>> {
  createRow<Name extends keyof Rows>(this: void, write: Omit<CreateRow<Rows, Name>, 'type'>): RowWrite<Rows>;
  updateRow<Name extends keyof Rows>(this: void, write: Omit<UpdateRow<Rows, Name>, 'type'>): RowWrite<Rows>;
  removeRow<Name extends keyof Rows>(this: void, table: Name, row: Rows[Name]): RowWrite<Rows>;
  checkRow<Name extends keyof Rows>(this: void, table: Name, row: Rows[Name]): RowWrite<Rows>;
}

/** Returns the functions that make row writes of a registry, given the row type of each of its tables. */
export const rowWriters = <Rows extends RowTypes<Rows>>(): RowWriters<Rows> => ({
  // That table and row belong together is checked where these are called; a union over all tables cannot say it.
  createRow: write => ({ type: 'create', ...write }) as unknown as RowWrite<Rows>,
  updateRow: write => ({ type: 'update', ...write }) as unknown as RowWrite<Rows>,
  removeRow: (table, row) => ({ type: 'remove', table, row }) as unknown as RowWrite<Rows>,
  checkRow: (table, row) => ({ type: 'check', table, row }) as unknown as RowWrite<Rows>,
});
