import { useMemo } from 'react';
import { Link } from '../../routing/link.tsx';
import { useViewLocation, viewHref } from '../../routing/location.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { usePageTitle } from '../../shell/page-title.ts';
import { EmptyState, FailureNotice, Loading } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { useLoaded } from '../../ui/use-request.ts';
import { FilterField } from '../kind-list/list-filters.tsx';
import { type ApiDocument, listDocuments, readDocument } from './documents.ts';
import { type Operation, operationsOf } from './open-api.ts';
import { OperationCard } from './operation-card.tsx';

/** The OpenAPI documents of the landscape: what can be called, with what, and what comes back. */
export default function ApiDocumentsPage() {
  const { cluster } = useCluster();
  const { query } = useViewLocation();
  const { value: documents, error } = useLoaded(signal => listDocuments(cluster, signal), [cluster]);
  usePageTitle('API documents');
  const wanted = query.get('doc');
  const chosen = documents?.find(({ id }) => id === wanted);
  return (
    <>
      <header className="page-head">
        <div>
          {chosen !== undefined && (
            <p className="crumbs">
              <Link href={viewHref([cluster, 'apis'])}>API documents</Link> · {chosen.group}
            </p>
          )}
          <h1>{chosen?.title ?? 'API documents'}</h1>
          <p className="quiet">
            {chosen === undefined ? (
              `OpenAPI of the landscape, and of what cluster "${cluster}" serves`
            ) : (
              <code>{chosen.path}</code>
            )}
          </p>
        </div>
      </header>
      {error !== undefined && <FailureNotice goal="list the documents" error={error} />}
      {documents === undefined && error === undefined && <Loading what="the list of documents" />}
      {documents !== undefined && wanted !== null && chosen === undefined && (
        <EmptyState title={`Cluster "${cluster}" has no document "${plainText(wanted)}"`} />
      )}
      {documents !== undefined && chosen === undefined && <DocumentList documents={documents} />}
      {chosen !== undefined && <Document key={chosen.id} chosen={chosen} />}
    </>
  );
}

function DocumentList({ documents }: { readonly documents: readonly ApiDocument[] }) {
  const { cluster } = useCluster();
  return (
    <div className="documents">
      {[...Map.groupBy(documents, ({ group }) => group)].map(([group, members]) => (
        <section key={group} className="card">
          <h2>{group}</h2>
          <ul className="kinds">
            {members.map(({ id, title }) => (
              <li key={id}>
                <Link className="row-link" href={viewHref([cluster, 'apis'], { doc: id })}>
                  {plainText(title)}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function Document({ chosen }: { readonly chosen: ApiDocument }) {
  const { cluster } = useCluster();
  const { query } = useViewLocation();
  const { value: document, error } = useLoaded(signal => readDocument(chosen, cluster, signal), [cluster, chosen.id]);
  const operations = useMemo(() => (document === undefined ? [] : operationsOf(document)), [document]);
  if (error !== undefined) return <FailureNotice goal={`read ${chosen.path}`} error={error} />;
  if (document === undefined) return <Loading what="the document" />;
  const text = (query.get('q') ?? '').toLowerCase();
  const found = operations.filter(({ id, summary, tag }) => `${id} ${summary} ${tag}`.toLowerCase().includes(text));
  const selected = operations.find(({ id }) => id === query.get('op'));
  const { description = '' } = document.info ?? {};
  return (
    <>
      {description !== '' && <p className="quiet">{plainText(description)}</p>}
      <div className="toolbar">
        <FilterField label="Search" parameter="q" value={query.get('q') ?? ''} placeholder="path, summary or tag" />
      </div>
      <div className="api-columns">
        <OperationList operations={found} selected={selected} />
        {selected === undefined ? (
          <EmptyState title="Choose an operation to see its parameters and to try it" />
        ) : (
          <OperationCard key={selected.id} document={document} operation={selected} />
        )}
      </div>
    </>
  );
}

/** More operations than these are found by searching. */
const maxListed = 300;

interface OperationListProps {
  readonly operations: readonly Operation[];
  readonly selected: Operation | undefined;
}

function OperationList({ operations, selected }: OperationListProps) {
  const { query, segments } = useViewLocation();
  const hrefOf = (op: string): string => viewHref(segments, { ...Object.fromEntries(query), op });
  if (operations.length === 0) return <EmptyState title="No operation matches" />;
  return (
    <nav className="operations" aria-label="Operations">
      {[...Map.groupBy(operations.slice(0, maxListed), ({ tag }) => tag)].map(([tag, members]) => (
        <section key={tag}>
          <h2>{plainText(tag)}</h2>
          <ul>
            {members.map(({ id, method, path, summary }) => (
              <li key={id}>
                <Link
                  className="row-link operation"
                  href={hrefOf(id)}
                  aria-current={id === selected?.id ? 'true' : undefined}
                >
                  <MethodMark method={method} /> <span className="operation-path">{plainText(path)}</span>
                  <span className="quiet operation-summary">{plainText(summary)}</span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {operations.length > maxListed && (
        <p className="quiet">{operations.length - maxListed} more: search for what you need</p>
      )}
    </nav>
  );
}

const MethodMark = ({ method }: Pick<Operation, 'method'>) => (
  <span className={`method method-${method}`}>{method.toUpperCase()}</span>
);
