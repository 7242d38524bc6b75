/**
 * All objects of some kinds in memory, indexed, with atomic commits over several of them.
 *
 * `defineTable` says how a table is made, `createRegistry` opens a registry of several tables, and `rowWriters` makes the
 * writes of its commits. `follow` is the watch loop below the tables, for consumers that keep something else.
 */
export { commitAnew } from './commit-anew.ts';
export { createRegistry, type RegistryOptions } from './create-registry.ts';
export { type Follower, type FollowOptions, follow } from './follow.ts';
export type { TermsOf } from './index-map.ts';
export type { Changes, MemoryTable } from './memory-table.ts';
export { comparePlaces, OrderedRows, type Placed } from './ordered-rows.ts';
export type { IndexNamesOf, Registry, RegistryCore, RowsOf, TableDefinitions, TablesOf } from './registry.ts';
export type { AnyRow, Row } from './row.ts';
export type { RowFormat } from './row-format.ts';
export { traceparentOfRow } from './row-of.ts';
export {
  type CheckRow,
  type CreateRow,
  type PutSecret,
  type RegistryWrite,
  type RemoveRow,
  type RemoveSecret,
  type RowTypes,
  type RowWrite,
  type RowWriters,
  rowWriters,
  type UpdateRow,
} from './row-writes.ts';
export type { SecretOwnership } from './secret-writes.ts';
export type { NewestRange, RowChange, Table, TablePage, TableQuery } from './table.ts';
export { type AnyTableDefinition, defineTable, type TableDefinition, type TableMirror } from './table-definition.ts';
