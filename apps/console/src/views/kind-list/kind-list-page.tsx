import { type ReactNode, useEffect } from 'react';
import { ApiFailure } from '../../api/api-failure.ts';
import { kindWords } from '../../api/kind-words.ts';
import type { ObjectName, ServedKind } from '../../api/kinds.ts';
import type { TableRow } from '../../api/table.ts';
import { changeQuery, useViewLocation } from '../../routing/location.ts';
import { useCluster, useFreshKinds, useKind } from '../../shell/cluster-context.tsx';
import { usePageTitle } from '../../shell/page-title.ts';
import { Button } from '../../ui/button.tsx';
import { FilterGroup } from '../../ui/filter-group.tsx';
import { EmptyState, FailureNotice, Loading } from '../../ui/notice.tsx';
import { FilterField, StateChips } from './list-filters.tsx';
import { pageOf, pageSize, selectionOf } from './list-query.ts';
import { type ListPresentation, ListTable } from './list-table.tsx';
import { useLiveTable } from './live-table.ts';

/** The list of any kind, by group and plural. */
export function KindListPage({ group, plural }: { readonly group: string; readonly plural: string }) {
  const kind = useKind(group, plural);
  if (kind === undefined) return <UnknownKind group={group} plural={plural} />;
  return <KindList kind={kind} title={kind.kind} about={group === '' ? 'core' : group} />;
}

/** A kind that the cluster does not serve, or not yet: the view appears as soon as it does. */
export function UnknownKind({ group, plural }: { readonly group: string; readonly plural: string }) {
  const { cluster, reloadKinds } = useCluster();
  useFreshKinds();
  const name = group === '' ? plural : `${plural}.${group}`;
  return (
    <EmptyState isPage title={`Cluster "${cluster}" serves no ${name}`}>
      <p className="quiet">When the kind is made, this page shows it by itself.</p>
      <Button onClick={reloadKinds}>Read its kinds again</Button>
    </EmptyState>
  );
}

interface KindListProps extends ObjectListProps {
  readonly title: string;
  readonly about: string;
  /** Beside the title. Default: nothing. */
  readonly actions?: ReactNode;
  /** Other views of the page, below the title. Default: none. */
  readonly views?: ReactNode;
}

/** A page with the list of a kind. */
export function KindList({ title, about, actions, views, ...list }: KindListProps) {
  const { cluster } = useCluster();
  usePageTitle(`${title} · ${cluster}`);
  return (
    <>
      <header className="page-head">
        <div>
          <h1>{title}</h1>
          <p className="quiet">{about}</p>
        </div>
        <div className="actions">{actions}</div>
      </header>
      {views}
      <ObjectList {...list} />
    </>
  );
}

interface ObjectListProps {
  readonly kind: ServedKind;
  /** Default: the cluster of the address. */
  readonly cluster?: string;
  /** A label selector that always holds. Default: none. */
  readonly scope?: string;
  /** A field selector that always holds. Default: none. */
  readonly fields?: string;
  /** Where a row leads. Default: to the object. */
  readonly hrefOf?: (name: ObjectName) => string;
  /** What to do when there is nothing. Default: nothing is said. */
  readonly advice?: ReactNode;
  /** The column that rows are sorted by until the user chooses one. Default: the order of the server. */
  readonly defaultSort?: string;
  /** A hook that says how the rows of the page are shown. Always the same one. Default: as the kind declares. */
  readonly usePresentation?: (rows: readonly TableRow[]) => ListPresentation;
}

const noPresentation: ListPresentation = {};
const noRows: readonly TableRow[] = [];

/** A list with filters, sorting and pages. The address is its whole state. */
export function ObjectList({ kind, scope = '', hrefOf, advice, ...options }: ObjectListProps) {
  const opened = useCluster().cluster;
  const { cluster = opened, defaultSort = '', fields = '', usePresentation = () => noPresentation } = options;
  const { query } = useViewLocation();
  const sort = query.get('sort') ?? defaultSort;
  const selection = selectionOf(query, defaultSort);
  const labelSelector = allOf(scope, selection.labelSelector);
  const fieldSelector = allOf(fields, selection.fieldSelector);
  const { table, error } = useLiveTable(cluster, kind, { ...selection, labelSelector, fieldSelector });
  const presentation = usePresentation(table?.rows ?? noRows);
  const isWide = query.get('columns') === 'all';
  const total = table && (table.metadata.totalItemCount ?? table.rows.length);
  const hasFilters = [selection.search, selection.labelSelector, selection.fieldSelector, selection.state].some(
    text => text !== '',
  );
  return (
    <>
      <div className="toolbar">
        <FilterField label="Search" parameter="q" value={selection.search} placeholder="name or label" />
        <FilterGroup count={[selection.labelSelector, selection.fieldSelector].filter(text => text !== '').length}>
          <FilterField
            label="Labels"
            parameter="labels"
            value={selection.labelSelector}
            placeholder="app=web,tier!=test"
          />
          <FilterField
            label="Fields"
            parameter="fields"
            value={selection.fieldSelector}
            placeholder="metadata.name=web"
          />
          <label className="check">
            <input
              type="checkbox"
              checked={isWide}
              onChange={({ target }) => changeQuery({ columns: target.checked ? 'all' : undefined }, { replace: true })}
            />
            All columns
          </label>
        </FilterGroup>
      </div>
      <StateChips counts={table?.metadata.stateCounts} selected={selection.state} />
      {error !== undefined && <FailureNotice goal={`list ${kindWords(kind)}`} error={error} />}
      {isForbidden(error) && kind.isNamespaced && selection.namespace === '' && (
        <p className="quiet">
          You may be allowed to list those of your own namespaces: name one of them above, or open the cluster of your
          project.
        </p>
      )}
      {table === undefined && error === undefined && <Loading what={kindWords(kind)} />}
      {table !== undefined && total !== undefined && total > 0 && (
        <>
          <ListTable
            cluster={cluster}
            kind={kind}
            table={table}
            sort={sort}
            isWide={isWide}
            hasNamespaces={kind.isNamespaced && selection.namespace === ''}
            presentation={presentation}
            {...(hrefOf && { hrefOf })}
          />
          <Pages total={total} page={pageOf(query)} isCounted={table.metadata.totalItemCount !== undefined} />
          {table.metadata.isIncomplete && <Incomplete isReading={table.metadata.stateCounts === undefined} />}
        </>
      )}
      {total === 0 && <NoRows kind={kind} namespace={selection.namespace} hasFilters={hasFilters} advice={advice} />}
    </>
  );
}

const isForbidden = (error: unknown): boolean => error instanceof ApiFailure && error.status === 403;

const allOf = (...selectors: readonly string[]): string => selectors.filter(text => text !== '').join(',');

/** Why counts are missing, or not those of all objects. */
const Incomplete = ({ isReading }: { readonly isReading: boolean }) => (
  <p className="quiet" role="status">
    {isReading
      ? 'Counting the objects…'
      : 'There are more objects than one request examines: not all of them are counted and found. Choose a namespace or labels to narrow the list.'}
  </p>
);

interface PagesProps {
  readonly total: number;
  readonly page: number;
  /** Whether the total is known: the server may still be counting. Default true. */
  readonly isCounted?: boolean;
  /** Rows on a page. Default: as many as lists of kinds have. */
  readonly size?: number;
}

/**
 * How many objects a list has, and the way to its other pages; the address says which one is shown. A page behind the last
 * one leads there: objects may have been deleted meanwhile.
 */
export function Pages({ total, page, isCounted = true, size = pageSize }: PagesProps) {
  const last = Math.max(1, Math.ceil(total / size));
  const first = (page - 1) * size;
  const goTo = (wanted: number, options?: { readonly replace: boolean }): void =>
    changeQuery({ page: wanted === 1 ? undefined : String(wanted) }, options);
  const isBehindLast = isCounted && page > last;
  useEffect(() => {
    if (isBehindLast) goTo(last, { replace: true });
  }, [isBehindLast, last]);
  if (last === 1 && page === 1) return <p className="pages quiet">{total.toLocaleString()} in total</p>;
  return (
    <nav className="pages" aria-label="Pages of the list">
      <span className="quiet">
        {(first + 1).toLocaleString()}–{Math.min(first + size, total).toLocaleString()} of {total.toLocaleString()}
      </span>
      <Button onClick={() => goTo(page - 1)} disabledReason={page <= 1 ? 'This is the first page' : undefined}>
        Previous
      </Button>
      <Button onClick={() => goTo(page + 1)} disabledReason={page >= last ? 'This is the last page' : undefined}>
        Next
      </Button>
    </nav>
  );
}

interface NoRowsProps {
  readonly kind: ServedKind;
  readonly namespace: string;
  readonly hasFilters: boolean;
  readonly advice: ReactNode;
}

function NoRows({ kind, namespace, hasFilters, advice }: NoRowsProps) {
  const place = namespace === '' ? '' : ` in namespace "${namespace}"`;
  if (!hasFilters) return <EmptyState title={`No ${kindWords(kind)}${place}`}>{advice}</EmptyState>;
  const clear = { q: undefined, labels: undefined, fields: undefined, state: undefined, page: undefined };
  return (
    <EmptyState title={`No ${kindWords(kind)}${place} match the filters`}>
      <Button onClick={() => changeQuery(clear)}>Clear the filters</Button>
    </EmptyState>
  );
}
