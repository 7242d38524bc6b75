import { Link } from '../../routing/link.tsx';
import { useViewLocation, viewHref } from '../../routing/location.ts';
import { useCluster } from '../../shell/cluster-context.tsx';

const views = { events: 'Events', audit: 'Audit log' } as const;

/** The two views of what has happened, as links: each has an address of its own. */
export function EventViews({ current }: { readonly current: keyof typeof views }) {
  const { cluster } = useCluster();
  const ns = useViewLocation().query.get('ns') ?? undefined;
  return (
    <nav className="tabs" aria-label="What has happened">
      <Link href={viewHref([cluster, 'events'], { ns })} aria-current={current === 'events' ? 'page' : undefined}>
        {views.events}
      </Link>
      <Link
        href={viewHref([cluster, 'events', 'audit'], { ns })}
        aria-current={current === 'audit' ? 'page' : undefined}
      >
        {views.audit}
      </Link>
    </nav>
  );
}
