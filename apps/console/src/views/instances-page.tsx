import { Link } from '../routing/link.tsx';
import { useViewLocation } from '../routing/location.ts';
import { pageHref } from '../routing/paths.ts';
import { useCluster, useKind } from '../shell/cluster-context.tsx';
import { EmptyState } from '../ui/notice.tsx';
import { KindList } from './kind-list/kind-list-page.tsx';

/** Instances of every API: the service manager tracks them all. */
export function InstancesPage() {
  const { cluster } = useCluster();
  const { query } = useViewLocation();
  const kind = useKind('brokers.chandlery.io', 'serviceinstances');
  if (kind === undefined) return <EmptyState title={`Cluster "${cluster}" has no service instances`} />;
  return (
    <KindList
      kind={kind}
      title="Instances"
      about="Everything that was ordered, through whichever API"
      actions={
        <Link
          className="button button-primary"
          href={pageHref(cluster, 'catalogue', { ns: query.get('ns') ?? undefined })}
        >
          Order…
        </Link>
      }
    />
  );
}
