import type { CustomKind, KubeObject } from '@chandlery/api';
import type { TermsOf } from './index-map.ts';
import type { MemoryTable } from './memory-table.ts';
import type { AnyRow, Row } from './row.ts';
import type { RowChange } from './table.ts';

/** How one table is made, with its row type erased. */
export interface AnyTableDefinition {
  /**
   * The kind whose objects are the rows, in all namespaces. Rows are found by id alone, so a namespaced kind whose
   * objects others may create needs a unique key over `metadata.name`.
   */
  readonly kind: CustomKind;
  /** The indexes by name. A row is found under the terms that the function returns for it. */
  readonly indexes: Readonly<Record<string, TermsOf<never>>>;
  /** Whether objects get the registry's finalizer, because something else has to be ended before they go. Default false. */
  readonly isHeld?: boolean;
  /**
   * Labels of a row's object, for clients that watch only some of them; undefined removes a label. Written with the
   * row: an object that was created elsewhere gets them with its next update. Default: none.
   */
  readonly labels?: (row: Pick<AnyRow, 'spec' | 'status'>) => Readonly<Record<string, string | undefined>>;
  /** Rows that changes of this table show in another one. Default: none. */
  readonly mirror?: TableMirror;
}

/** How one table is made. */
export interface TableDefinition<Object extends KubeObject & { spec: unknown }, IndexName extends string>
  extends AnyTableDefinition {
  readonly kind: CustomKind<Object>;
  readonly indexes: Readonly<Record<IndexName, TermsOf<Row<Object>>>>;
}

/** Rows without objects of their own (their uid is empty) that follow from the rows of another table. */
export interface TableMirror {
  /** The name of the table that shows them. */
  readonly into: string;
  /**
   * Changes the target as a change of this table requires, and returns how to notify the target's listeners. Undefined:
   * nothing follows. Called for every change, before any listener is notified.
   */
  readonly show: (target: MemoryTable<AnyRow>, change: RowChange<AnyRow>) => (() => void) | undefined;
}

/** Returns the definition as it is; infers the row type of the index functions from the kind. */
export const defineTable = <Object extends KubeObject & { spec: unknown }, IndexName extends string>(
  definition: TableDefinition<Object, IndexName>,
): TableDefinition<Object, IndexName> => definition;
