import { type FoundObject, type SearchRequest, type SearchResult, searchObjects } from '../../api/search.ts';
import { Link } from '../../routing/link.tsx';
import { useViewLocation } from '../../routing/location.ts';
import { objectHref } from '../../routing/paths.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { usePageTitle } from '../../shell/page-title.ts';
import { FailureNotice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { Time } from '../../ui/time.tsx';
import { useRefreshed } from '../../ui/use-refreshed.ts';

const refreshMs = 5000;
const maxShown = 12;

/** What is wrong now, what is in progress, and what has changed. */
export function HomePage() {
  const { cluster } = useCluster();
  const { query } = useViewLocation();
  const namespace = query.get('ns') ?? '';
  usePageTitle(`Home · ${cluster}`);
  const search = { namespace, limit: maxShown };
  return (
    <>
      <header className="page-head">
        <div>
          <h1>Home</h1>
          <p className="quiet">
            Cluster "{cluster}"{namespace !== '' && `, namespace "${namespace}"`}
          </p>
        </div>
      </header>
      <div className="cards">
        <SearchCard title="Wrong now" search={{ ...search, states: ['failed'] }} none="✓ Nothing has failed" />
        <SearchCard
          title="In progress"
          search={{ ...search, states: ['waiting', 'deleting'] }}
          none="✓ Nothing is under way"
        />
        <SearchCard
          title="Recent changes"
          search={{ ...search, orderBy: 'changed' }}
          none="Nothing is here yet"
          isDated
        />
      </div>
    </>
  );
}

interface SearchCardProps {
  readonly title: string;
  readonly search: SearchRequest;
  readonly none: string;
  /** Whether each line says when the object was changed. */
  readonly isDated?: boolean;
}

function SearchCard({ title, search, none, isDated = false }: SearchCardProps) {
  const { cluster } = useCluster();
  const { value, error } = useRefreshed<SearchResult>(
    signal => searchObjects(cluster, search, signal),
    [cluster, JSON.stringify(search)],
    refreshMs,
  );
  const { items = [], total = 0 } = value ?? {};
  return (
    <section className="card">
      <h2>
        {title} {value !== undefined && !isDated && total > 0 && <span className="count">{total}</span>}
      </h2>
      {error !== undefined && <FailureNotice goal="search the cluster" error={error} />}
      {value !== undefined && items.length === 0 && <p className="quiet">{none}</p>}
      <ul className="found">
        {items.map(found => (
          <FoundLine
            key={`${found.group}/${found.plural}/${found.namespace}/${found.name}`}
            found={found}
            isDated={isDated}
          />
        ))}
      </ul>
    </section>
  );
}

function FoundLine({ found, isDated }: { readonly found: FoundObject; readonly isDated: boolean }) {
  const { cluster } = useCluster();
  const ns = useViewLocation().query.get('ns') ?? undefined;
  const { kind, namespace, name, displayName = name, state, reason, message, changedAt } = found;
  const why = [reason, message].filter(Boolean).join(': ');
  return (
    <li>
      {isDated ? (
        <span className="quiet">
          <Time at={changedAt} />
        </span>
      ) : (
        <StateMark state={state} />
      )}
      <div>
        <Link className="row-link" href={objectHref(cluster, found, found, { ns })}>
          {plainText(displayName)}
        </Link>{' '}
        <span className="quiet">
          {kind}
          {namespace !== undefined && ` · ${namespace}`}
        </span>{' '}
        {isDated && state !== 'exists' && <StateMark state={state} reason={reason} />}
        {!isDated && why !== '' && <p className="message">{plainText(why)}</p>}
      </div>
    </li>
  );
}
