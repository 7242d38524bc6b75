import type { ReactNode } from 'react';
import type { TableRow } from '../../api/table.ts';
import { Link } from '../../routing/link.tsx';
import { pageHref } from '../../routing/paths.ts';
import { useCluster, useKind } from '../../shell/cluster-context.tsx';
import { EmptyState } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { KindList } from '../kind-list/kind-list-page.tsx';
import type { ListPresentation } from '../kind-list/list-table.tsx';
import { AuditPage } from './audit-page.tsx';
import { EventViews } from './event-views.tsx';

/** What controllers have reported, or, for operators, who wrote what. */
export default function EventsPage({ view }: { readonly view: string }) {
  return view === 'audit' ? <AuditPage /> : <EventList />;
}

function EventList() {
  const { cluster } = useCluster();
  const kind = useKind('', 'events');
  if (kind === undefined) return <EmptyState isPage title={`Cluster "${cluster}" serves no events`} />;
  return (
    <KindList
      kind={kind}
      title="Events"
      about="What controllers have reported about objects, the last report first; kept for an hour"
      views={<EventViews current="events" />}
      usePresentation={usePresentation}
      defaultSort="Last Seen"
      advice={<p className="quiet">Nothing was reported in the last hour. What users wrote is in the audit log.</p>}
    />
  );
}

interface Reported {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** Warnings stand out, and what an event is about can be opened. */
function usePresentation(): ListPresentation {
  const { cluster } = useCluster();
  const cell = (column: string, { object }: TableRow): ReactNode => {
    const { type, involvedObject } = object as { readonly type?: string; readonly involvedObject?: Reported };
    if (column === 'Type' && type === 'Warning') return <span className="state state-deleting">! Warning</span>;
    if (column !== 'Object' || involvedObject?.name === undefined) return undefined;
    const { apiVersion, kind = '', namespace: ns, name } = involvedObject;
    return <Link href={pageHref(cluster, 'find', { apiVersion, kind, ns, name })}>{plainText(`${kind}/${name}`)}</Link>;
  };
  return { cell };
}
