import { Link } from '../../routing/link.tsx';
import { useViewLocation, viewHref } from '../../routing/location.ts';
import { useCluster, useKind } from '../../shell/cluster-context.tsx';
import { EmptyState } from '../../ui/notice.tsx';
import { KindList } from '../kind-list/kind-list-page.tsx';
import { AuditPage } from './audit-page.tsx';

/** What controllers have reported, or, for operators, who wrote what. */
export default function EventsPage({ view }: { readonly view: string }) {
  return view === 'audit' ? <AuditPage /> : <EventList />;
}

function EventList() {
  const { cluster } = useCluster();
  const ns = useViewLocation().query.get('ns') ?? undefined;
  const kind = useKind('', 'events');
  if (kind === undefined) return <EmptyState title={`Cluster "${cluster}" serves no events`} />;
  return (
    <KindList
      kind={kind}
      title="Events"
      about="What controllers have reported about objects"
      actions={
        <Link className="button" href={viewHref([cluster, 'events', 'audit'], { ns })}>
          Audit log
        </Link>
      }
    />
  );
}
