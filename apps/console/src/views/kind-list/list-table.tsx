import { displayNameOf, situationOf } from '@chandlery/api';
import type { ReactNode } from 'react';
import type { ObjectName, ServedKind } from '../../api/kinds.ts';
import type { ServerTable, TableRow } from '../../api/table.ts';
import { Link } from '../../routing/link.tsx';
import { changeQuery, useViewLocation } from '../../routing/location.ts';
import { objectHref } from '../../routing/paths.ts';
import { plainText } from '../../ui/plain-text.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { isMoment, Time } from '../../ui/time.tsx';
import { syncProblem } from '../sync-problem.ts';
import { type ListColumn, type ListColumns, listColumns, textOfCell } from './list-columns.ts';
import { nextSort } from './list-query.ts';

/** How a view shows a list of its kind. */
export interface ListPresentation {
  /** Columns that say nothing here; `Namespace` is one. Default: none. */
  readonly hidden?: readonly string[];
  /** Columns that are shown although the kind declares them as less important. Default: none. */
  readonly shown?: readonly string[];
  /** What an object is called; undefined: its name. Default: that. */
  readonly nameOf?: (row: TableRow) => string | undefined;
  /** What a cell shows instead of its text, by column; undefined: its text. Default: that. */
  readonly cell?: (column: string, row: TableRow) => ReactNode;
}

interface ListTableProps {
  readonly cluster: string;
  readonly kind: ServedKind;
  readonly table: ServerTable;
  readonly sort: string;
  /** Whether columns are shown that kinds declare as less important. */
  readonly isWide: boolean;
  readonly hasNamespaces: boolean;
  /** Where a row leads. Default: to the object. */
  readonly hrefOf?: (name: ObjectName) => string;
  readonly presentation?: ListPresentation;
}

/** The rows of a page with the columns that the kind declares. */
export function ListTable({ cluster, kind, table, sort, presentation = {}, ...rest }: ListTableProps) {
  const ns = useViewLocation().query.get('ns') ?? undefined;
  const hrefOf = rest.hrefOf ?? ((name: ObjectName) => objectHref(cluster, kind, name, { ns }));
  const { hasStates, columns, wordOf } = listColumns(table, { ...presentation, isWide: rest.isWide });
  // Where names that people gave have a column of their own, the first one has those of the objects.
  const hasDisplayNames = table.columnDefinitions.some(({ name }) => name === 'Display Name');
  const nameOf = (row: TableRow): string | undefined =>
    presentation.nameOf?.(row) ?? (hasDisplayNames ? undefined : displayNameOf(row.object));
  const hasNamespaces = rest.hasNamespaces && !presentation.hidden?.includes('Namespace');
  const [first, ...others] = namedFirst(columns);
  return (
    <div className="table-frame" role="region" aria-label={`${kind.kind} list`} tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            {hasStates && <SortHeading name="State" column="Status" sort={sort} />}
            {first !== undefined && <ColumnHeading column={first} sort={sort} />}
            {hasNamespaces && <SortHeading name="Namespace" sort={sort} />}
            {others.map(column => (
              <ColumnHeading key={column.name} column={column} sort={sort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map(row => (
            <ListRow
              key={row.object.metadata.uid ?? `${row.object.metadata.namespace}/${row.object.metadata.name}`}
              row={row}
              columns={[first, others]}
              hasStates={hasStates}
              hasNamespaces={hasNamespaces}
              word={wordOf(row)}
              presentation={{ ...presentation, nameOf }}
              href={hrefOf(objectNameOf(row))}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The column that leads to the object comes first. */
function namedFirst(columns: ListColumns['columns']): readonly ListColumn[] {
  const named = columns.find(({ name }) => name === 'Name') ?? columns[0];
  return named === undefined ? [] : [named, ...columns.filter(column => column !== named)];
}

const ColumnHeading = ({
  column: { name, description },
  sort,
}: {
  readonly column: ListColumn;
  readonly sort: string;
}) => <SortHeading name={name} sort={sort} description={description} />;

interface SortHeadingProps {
  readonly name: string;
  /** What the server sorts by. Default: the name. */
  readonly column?: string;
  readonly sort: string;
  readonly description?: string | undefined;
}

function SortHeading({ name, column = name, sort, description }: SortHeadingProps) {
  const order = sort === column ? 'ascending' : sort === `-${column}` ? 'descending' : 'none';
  const symbols = { ascending: ' ↑', descending: ' ↓', none: '' };
  return (
    <th scope="col" aria-sort={order} title={description}>
      <button
        type="button"
        className="sort"
        onClick={() => changeQuery({ sort: nextSort(sort, column), page: undefined }, { replace: true })}
      >
        {name}
        <span aria-hidden="true">{symbols[order]}</span>
      </button>
    </th>
  );
}

interface ListRowProps {
  readonly row: TableRow;
  /** The one that leads to the object, and the others. */
  readonly columns: readonly [ListColumn | undefined, readonly ListColumn[]];
  readonly hasStates: boolean;
  readonly hasNamespaces: boolean;
  /** What the kind calls the state; empty: nothing else. */
  readonly word: string;
  readonly presentation: ListPresentation;
  readonly href: string;
}

function ListRow({ row, columns: [first, others], hasStates, hasNamespaces, word, presentation, href }: ListRowProps) {
  const { cells, object } = row;
  const { cell, nameOf } = presentation;
  return (
    <tr>
      {hasStates && (
        <td>
          <StateCell object={object} word={plainText(word)} />
        </td>
      )}
      {first !== undefined && (
        <td>
          <Link href={href} className="row-link">
            {plainText(
              first.name === 'Name' ? (nameOf?.(row) ?? object.metadata.name ?? '') : textOfCell(cells[first.index]),
            )}
          </Link>
        </td>
      )}
      {hasNamespaces && <td>{object.metadata.namespace}</td>}
      {others.map(({ name, index }) => (
        <td key={name}>
          {name === 'Age' ? (
            <Time at={object.metadata.creationTimestamp} isAge />
          ) : (
            (cell?.(name, row) ?? <CellText text={plainText(textOfCell(cells[index]))} />)
          )}
        </td>
      ))}
    </tr>
  );
}

/** The state, in the word that the kind has for it. */
function StateCell({ object, word }: { readonly object: TableRow['object']; readonly word: string }) {
  const { state, reason } = situationOf(object);
  const problem = syncProblem(object);
  return (
    <>
      <StateMark state={state} reason={reason} word={word || undefined} />
      {problem !== undefined && <span className="state state-deleting"> ! {plainText(problem.reason)}</span>}
    </>
  );
}

/** Longer texts have several lines. */
const maxLineLength = 50;

const CellText = ({ text }: { readonly text: string }) =>
  isMoment(text) ? (
    <Time at={text} />
  ) : (
    <span className={text === '–' ? 'quiet' : text.length > maxLineLength ? 'cell-long' : undefined}>{text}</span>
  );

const objectNameOf = ({ object: { metadata } }: TableRow): ObjectName => ({
  namespace: metadata.namespace ?? '',
  name: metadata.name ?? '',
});
