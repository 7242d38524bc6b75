import type { Column, KubeObject } from '@chandlery/api';
import { type Cell, type CellReader, cellBudget, compileCell } from './cell.ts';
import type { ListMeta } from './list-meta.ts';
import { type PartialObjectMetadata, toPartialMetadata } from './partial-metadata.ts';

/** How much of each object a row carries. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** The heading of a column. */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

/** One object's line. */
export interface TableRow {
  readonly cells: readonly Cell[];
  readonly object?: KubeObject | PartialObjectMetadata;
}

/** Objects as kubectl shows them. */
export interface Table {
  readonly kind: 'Table';
  readonly apiVersion: string;
  readonly metadata: ListMeta;
  readonly columnDefinitions: readonly ColumnDefinition[];
  readonly rows: readonly TableRow[];
}

/** The columns of a kind beyond its name; the kernel's CompiledVersion is one. Identity matters: layouts are kept by it. */
export interface TableColumns {
  readonly columns: readonly Column[];
}

export interface TableRequest {
  readonly version: TableColumns;
  readonly items: readonly KubeObject[];
  /** Of the list; for a single object or a watch event it is taken from the object. */
  readonly listMeta?: ListMeta;
  readonly includeObject: IncludeObject;
  /** Ages are relative to this moment. */
  readonly now: Date;
  /** Default true. False for the second and later events of a watch. */
  readonly withDefinitions?: boolean;
  /** Version of meta.k8s.io. Default `v1`. */
  readonly tableVersion?: string;
}

interface TableLayout {
  readonly definitions: readonly ColumnDefinition[];
  readonly readers: readonly CellReader[];
}

const layouts = new WeakMap<object, TableLayout>();

/** Renders objects of one kind as a table: of a list, of a single object, or of one watch event. */
export function renderTable(request: TableRequest): Table {
  const { items, includeObject, now, tableVersion = 'v1' } = request;
  const { definitions, readers } = layoutOf(request.version);
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${tableVersion}`,
    metadata: request.listMeta ?? { resourceVersion: items[0]?.metadata.resourceVersion },
    columnDefinitions: (request.withDefinitions ?? true) ? definitions : [],
    rows: items.map(item => {
      const budget = cellBudget();
      const cells = readers.map(read => read(item, now, budget));
      const object = objectOfRow(item, includeObject, tableVersion);
      return object === undefined ? { cells } : { cells, object };
    }),
  };
}

/** Understands the query parameter; undefined when it is none of the three words. Absent means `Metadata`. */
export function parseIncludeObject(text: string | null | undefined): IncludeObject | undefined {
  if (text === null || text === undefined || text === '') return 'Metadata';
  return text === 'None' || text === 'Metadata' || text === 'Object' ? text : undefined;
}

function objectOfRow(item: KubeObject, include: IncludeObject, version: string): TableRow['object'] {
  switch (include) {
    case 'None':
      return undefined;
    case 'Object':
      return item;
    case 'Metadata':
      return toPartialMetadata(item, version);
  }
}

/** A kind's columns never change, so a layout lives as long as its kind does. */
function layoutOf(version: TableColumns): TableLayout {
  const known = layouts.get(version);
  if (known !== undefined) return known;
  const { columns } = version;
  // Some kinds show their name elsewhere: Events are about something else.
  const isNamed = columns.some(({ name }) => name === nameColumn.name);
  const layout: TableLayout = {
    definitions: [...(isNamed ? [] : [nameColumn]), ...columns.map(definitionOf)],
    readers: [...(isNamed ? [] : [readName]), ...columns.map(compileCell)],
  };
  layouts.set(version, layout);
  return layout;
}

const readName: CellReader = ({ metadata }) => metadata.name ?? '';

const nameColumn: ColumnDefinition = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'The name of the object, unique among its kind within its namespace.',
  priority: 0,
};

const definitionOf = (column: Column): ColumnDefinition => ({
  name: column.name,
  type: column.type,
  format: column.format ?? '',
  description: column.description ?? (column.jsonPath === undefined ? '' : `The value at ${column.jsonPath}.`),
  priority: column.priority ?? 0,
});
