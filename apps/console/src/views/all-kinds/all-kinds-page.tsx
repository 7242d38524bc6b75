import { Link } from '../../routing/link.tsx';
import { useViewLocation } from '../../routing/location.ts';
import { kindHref } from '../../routing/paths.ts';
import { useCluster, useFreshKinds } from '../../shell/cluster-context.tsx';
import { usePageTitle } from '../../shell/page-title.ts';
import { EmptyState } from '../../ui/notice.tsx';
import { FilterField } from '../kind-list/list-filters.tsx';

/** Every kind that the cluster serves, by group; also those of a CRD made a moment ago. */
export function AllKindsPage() {
  const { cluster, kinds } = useCluster();
  useFreshKinds();
  const { query } = useViewLocation();
  const text = query.get('q') ?? '';
  usePageTitle(`All kinds · ${cluster}`);
  const found = kinds.filter(({ kind, plural, group }) =>
    `${kind} ${plural} ${group}`.toLowerCase().includes(text.trim().toLowerCase()),
  );
  const groups = [...Map.groupBy(found, ({ group }) => group)];
  return (
    <>
      <header className="page-head">
        <div>
          <h1>All kinds</h1>
          <p className="quiet">
            {kinds.length} kinds are served by cluster "{cluster}"
          </p>
        </div>
      </header>
      <div className="toolbar">
        <FilterField label="Search" parameter="q" value={text} placeholder="kind or group" />
      </div>
      {groups.length === 0 && <EmptyState title={`No kind has "${text}" in its name`} />}
      <div className="cards cards-packed cards-kinds">
        {groups.map(([group, members]) => (
          <section key={group} className="card">
            <h2>{group === '' ? 'core' : group}</h2>
            <ul className="kinds">
              {members.map(kind => (
                <li key={kind.plural}>
                  <Link className="row-link" href={kindHref(cluster, kind, { ns: query.get('ns') ?? undefined })}>
                    {kind.kind}
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </>
  );
}
