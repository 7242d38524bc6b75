import { situationOf } from '@chandlery/api';
import type { ObjectName, ServedKind } from '../../api/kinds.ts';
import type { ServerTable, TableRow } from '../../api/table.ts';
import { Link } from '../../routing/link.tsx';
import { changeQuery, useViewLocation } from '../../routing/location.ts';
import { objectHref } from '../../routing/paths.ts';
import { plainText } from '../../ui/plain-text.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { Time } from '../../ui/time.tsx';
import { nextSort } from './list-query.ts';

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
}

/** Objects with an id for a name show the name that people gave them in the column of names. */
const givenNameColumn = 'Display-Name';

/** The rows of a page with the columns that the kind declares. */
export function ListTable({ cluster, kind, table, sort, isWide, hasNamespaces, ...rest }: ListTableProps) {
  const ns = useViewLocation().query.get('ns') ?? undefined;
  const hrefOf = rest.hrefOf ?? ((name: ObjectName) => objectHref(cluster, kind, name, { ns }));
  const columns = table.columnDefinitions
    .map((definition, index) => ({ ...definition, index }))
    .filter(({ priority = 0, name }) => isWide || (priority === 0 && name !== givenNameColumn));
  return (
    <div className="table-frame" role="region" aria-label={`${kind.kind} list`} tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">State</th>
            {hasNamespaces && <SortHeading name="Namespace" sort={sort} />}
            {columns.map(({ name, description }) => (
              <SortHeading key={name} name={name} sort={sort} description={description} />
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map(row => (
            <ListRow
              key={row.object.metadata.uid ?? `${row.object.metadata.namespace}/${row.object.metadata.name}`}
              row={row}
              hasNamespaces={hasNamespaces}
              columns={columns}
              href={hrefOf(nameOf(row))}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface SortHeadingProps {
  readonly name: string;
  readonly sort: string;
  readonly description?: string | undefined;
}

function SortHeading({ name, sort, description }: SortHeadingProps) {
  const order = sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : 'none';
  const symbols = { ascending: ' ↑', descending: ' ↓', none: '' };
  return (
    <th scope="col" aria-sort={order} title={description}>
      <button
        type="button"
        className="sort"
        onClick={() => changeQuery({ sort: nextSort(sort, name), page: undefined }, { replace: true })}
      >
        {name}
        <span aria-hidden="true">{symbols[order]}</span>
      </button>
    </th>
  );
}

interface ListRowProps {
  readonly row: TableRow;
  readonly columns: readonly { readonly name: string; readonly type: string; readonly index: number }[];
  readonly hasNamespaces: boolean;
  readonly href: string;
}

function ListRow({ row: { cells, object }, columns, hasNamespaces, href }: ListRowProps) {
  const { state, reason } = situationOf(object);
  const linked = columns.some(({ name }) => name === 'Name') ? 'Name' : columns[0]?.name;
  return (
    <tr>
      <td>
        <StateMark state={state} reason={reason} />
      </td>
      {hasNamespaces && <td>{object.metadata.namespace}</td>}
      {columns.map(({ name, index }) => (
        <td key={name}>
          {name === linked ? (
            <Link href={href} className="row-link">
              {plainText(name === 'Name' ? givenNameOf(object) : textOfCell(cells[index]))}
            </Link>
          ) : name === 'Age' ? (
            <Time at={object.metadata.creationTimestamp} isAge />
          ) : (
            <CellText text={plainText(textOfCell(cells[index]))} />
          )}
        </td>
      ))}
    </tr>
  );
}

const exactTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:[\d.]+Z$/;

const CellText = ({ text }: { readonly text: string }) =>
  exactTime.test(text) ? (
    <Time at={text} />
  ) : (
    <span className={text === '–' ? 'quiet' : 'cell'} title={text.length > 40 ? text : undefined}>
      {text}
    </span>
  );

const nameOf = ({ object: { metadata } }: TableRow): ObjectName => ({
  namespace: metadata.namespace ?? '',
  name: metadata.name ?? '',
});

function givenNameOf({ metadata, spec }: TableRow['object']): string {
  const { name } = (spec ?? {}) as { readonly name?: unknown };
  return typeof name === 'string' && name !== '' ? name : (metadata.name ?? '');
}

function textOfCell(cell: unknown): string {
  if (cell === null || cell === undefined || cell === '' || cell === '<none>') return '–';
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}
