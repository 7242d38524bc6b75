import type { FoundObject, SearchResult } from '../../api/search.ts';
import { Link } from '../../routing/link.tsx';
import { useViewLocation } from '../../routing/location.ts';
import { objectHref } from '../../routing/paths.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { usePageTitle } from '../../shell/page-title.ts';
import { FailureNotice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { Time } from '../../ui/time.tsx';
import { useSearches } from './use-searches.ts';

const maxShown = 12;

/** What is wrong now, what is in progress, and what has changed. */
export function HomePage() {
  const { cluster } = useCluster();
  const { query } = useViewLocation();
  const namespace = query.get('ns') ?? '';
  usePageTitle(`Home · ${cluster}`);
  const { results = [], error } = useSearches(cluster, namespace, maxShown);
  const [wrong, inProgress, changed] = results;
  const isIncomplete = results.some(result => result.isIncomplete);
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
      {error !== undefined && <FailureNotice goal="search the cluster" error={error} />}
      <div className="home">
        <div className="part">
          <FoundCard title="Wrong now" result={wrong} none="✓ Nothing has failed" />
          <FoundCard title="In progress" result={inProgress} none="✓ Nothing is under way" />
        </div>
        <FoundCard title="Recent changes" result={changed} none="Nothing is here yet" isDated />
      </div>
      {isIncomplete && (
        <p className="quiet" role="status">
          The server is still reading this cluster, or it has more objects than a search examines: some are not shown.
        </p>
      )}
    </>
  );
}

interface FoundCardProps {
  readonly title: string;
  /** Undefined until it is known. */
  readonly result: SearchResult | undefined;
  readonly none: string;
  /** Whether each line says when the object was changed. */
  readonly isDated?: boolean;
}

function FoundCard({ title, result, none, isDated = false }: FoundCardProps) {
  const { items = [], total = 0 } = result ?? {};
  return (
    <section className="card">
      <h2>
        {title} {!isDated && total > 0 && <span className="count">{total.toLocaleString()}</span>}
      </h2>
      {items.length === 0 && (
        <p className="quiet" role="status">
          {result === undefined ? 'Loading…' : none}
        </p>
      )}
      {!isDated && total > items.length && (
        <p className="quiet">The first {items.length}, the worst and the newest of them first</p>
      )}
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
