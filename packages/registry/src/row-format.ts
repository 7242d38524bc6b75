import type { TableDefinitions } from './registry.ts';
import type { AnyTableDefinition } from './table-definition.ts';

/** How rows are stored as objects. */
export interface RowFormat {
  readonly tables: TableDefinitions;
  /** The finalizer of objects in tables that are held. */
  readonly finalizer: string;
  /** Returns the object name of an id. Default: the id. */
  readonly nameOfId?: (id: string) => string;
  /** The inverse of `nameOfId`. Default: the name. */
  readonly idOfName?: (name: string) => string;
}

const same = (text: string): string => text;

/** Returns the object name of an id. */
export const nameOf = ({ nameOfId = same }: RowFormat, id: string): string => nameOfId(id);

/** Returns the id that an object name stands for. */
export const idOf = ({ idOfName = same }: RowFormat, name: string): string => idOfName(name);

/** Returns the definition of a table. */
export function definitionOf({ tables }: RowFormat, name: string): AnyTableDefinition {
  const definition = tables[name];
  if (definition === undefined) throw new TypeError(`there is no table "${name}"`);
  return definition;
}
