import { kindWords } from '../../api/kind-words.ts';
import type { ServedKind } from '../../api/kinds.ts';
import { useViewLocation } from '../../routing/location.ts';
import { EmptyState, FailureNotice, Loading } from '../../ui/notice.tsx';
import { Pages } from '../kind-list/kind-list-page.tsx';
import { pageOf, selectionOf } from '../kind-list/list-query.ts';
import { ListTable } from '../kind-list/list-table.tsx';
import { useLiveTable } from '../kind-list/live-table.ts';
import { tenantsCluster } from './tenant-kinds.ts';

interface ChildListProps {
  readonly kind: ServedKind;
  readonly namespace: string;
  readonly hrefOf: (name: string) => string;
  /** What to do when there is nothing. */
  readonly advice: string;
}

/** What belongs to a project or workspace, as a list of its kind. */
export function ChildList({ kind, namespace, hrefOf, advice }: ChildListProps) {
  const { query } = useViewLocation();
  const selection = { ...selectionOf(query), namespace };
  const { table, error } = useLiveTable(tenantsCluster, kind, selection);
  const total = table && (table.metadata.totalItemCount ?? table.rows.length);
  return (
    <>
      {error !== undefined && <FailureNotice goal={`list ${kindWords(kind)}`} error={error} />}
      {table === undefined && error === undefined && <Loading what={kindWords(kind)} />}
      {total === 0 && (
        <EmptyState title={`No ${kindWords(kind)} yet`}>
          <p className="quiet">{advice}</p>
        </EmptyState>
      )}
      {table !== undefined && total !== undefined && total > 0 && (
        <>
          <ListTable
            cluster={tenantsCluster}
            kind={kind}
            table={table}
            sort={query.get('sort') ?? ''}
            isWide={false}
            hasNamespaces={false}
            hrefOf={({ name }) => hrefOf(name)}
          />
          <Pages total={total} page={pageOf(query)} />
        </>
      )}
    </>
  );
}
