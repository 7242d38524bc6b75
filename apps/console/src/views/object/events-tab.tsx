import type { KubeObject } from '@chandlery/api';
import { useEffect, useState } from 'react';
import { follow } from '../../api/follow.ts';
import { collectionPath } from '../../api/kinds.ts';
import { requestJson } from '../../api/request.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { EmptyState, FailureNotice, Loading } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { Time } from '../../ui/time.tsx';

interface EventObject extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly source?: { readonly component?: string };
  readonly reportingComponent?: string;
}

const events = { group: '', version: 'v1', plural: 'events' };
/** Events of cluster-scoped objects are in this namespace. */
const clusterScopedNamespace = 'default';
const maxShown = 200;

/** What controllers have reported about an object, the last one first. */
export function EventsTab({ object }: { readonly object: KubeObject }) {
  const { cluster } = useCluster();
  const { uid = '', namespace = clusterScopedNamespace } = object.metadata;
  const { found, error } = useEvents(cluster, namespace, uid);
  if (error !== undefined) return <FailureNotice goal="read the events" error={error} />;
  if (found === undefined) return <Loading what="events" />;
  if (found.length === 0) return <EmptyState title="No events about this object are kept" />;
  return (
    <ol className="timeline">
      {found.slice(0, maxShown).map(event => (
        <li
          key={event.metadata.uid}
          className={`timeline-entry ${event.type === 'Warning' ? 'condition-false' : 'condition-true'}`}
        >
          <p className="timeline-head">
            <strong>{plainText(event.reason ?? '')}</strong>
            {event.type === 'Warning' && <span className="state state-deleting">! Warning</span>}
            <span className="quiet">
              <Time at={lastSeen(event)} /> · {plainText(event.source?.component ?? event.reportingComponent ?? '')}
              {(event.count ?? 1) > 1 && ` · ${event.count} times`}
            </span>
          </p>
          <p className="message">{plainText(event.message ?? '')}</p>
        </li>
      ))}
    </ol>
  );
}

const lastSeen = ({ lastTimestamp, eventTime, firstTimestamp, metadata }: EventObject): string =>
  lastTimestamp ?? eventTime ?? firstTimestamp ?? metadata.creationTimestamp ?? '';

function useEvents(cluster: string, namespace: string, uid: string) {
  const [state, setState] = useState<{ readonly found?: readonly EventObject[]; readonly error?: unknown }>({});
  useEffect(() => {
    const stop = new AbortController();
    const byUid = new Map<string, EventObject>();
    const show = (): void =>
      setState({
        found: [...byUid.values()].toSorted((one, other) => lastSeen(other).localeCompare(lastSeen(one))),
      });
    const path = collectionPath(cluster, events, namespace);
    const query = { fieldSelector: `involvedObject.uid=${uid}` };
    void follow<EventObject>({
      path,
      query,
      signal: stop.signal,
      load: async () => {
        const list = await requestJson<{ items: EventObject[]; metadata: { resourceVersion: string } }>(path, {
          query,
          signal: stop.signal,
        });
        byUid.clear();
        for (const event of list.items) byUid.set(event.metadata.uid ?? '', event);
        show();
        return list.metadata.resourceVersion;
      },
      onEvents: changes => {
        for (const { type, object } of changes) {
          if (type === 'DELETED') byUid.delete(object.metadata.uid ?? '');
          else byUid.set(object.metadata.uid ?? '', object);
        }
        show();
      },
      onFailure: error => setState({ error }),
    });
    return () => stop.abort();
  }, [cluster, namespace, uid]);
  return state;
}
