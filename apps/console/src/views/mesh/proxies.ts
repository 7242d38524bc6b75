import type { ObjectState } from '@chandlery/api';
import type { ProxyStream, ProxyType, SyncState } from '@chandlery/mesh/kinds';

/** A proxy with the types of all its streams. */
export interface ProxyRow {
  readonly stream: ProxyStream;
  readonly types: readonly ProxyType[];
  readonly state: SyncState;
}

const byUrgency: readonly SyncState[] = ['ERROR', 'STALE', 'NOT_SENT', 'SYNCED'];

interface SyncMark {
  readonly state: ObjectState;
  readonly word: string;
  /** Default: that of the state. */
  readonly symbol?: string;
}

export const syncMarks: Readonly<Record<SyncState, SyncMark>> = {
  ERROR: { state: 'failed', word: 'Rejected' },
  STALE: { state: 'deleting', symbol: '!', word: 'No answer' },
  NOT_SENT: { state: 'exists', word: 'Nothing sent' },
  SYNCED: { state: 'ready', word: 'Accepted' },
};

/** Proxies, those with trouble first. Some have a stream for each type. */
export function proxyRows(streams: readonly ProxyStream[]): readonly ProxyRow[] {
  const rows = [...Map.groupBy(streams, ({ nodeId, replica }) => `${replica} ${nodeId}`).values()].map(rowOf);
  return rows.toSorted(
    (one, other) =>
      byUrgency.indexOf(one.state) - byUrgency.indexOf(other.state) ||
      one.stream.nodeId.localeCompare(other.stream.nodeId),
  );
}

function rowOf(streams: readonly ProxyStream[]): ProxyRow {
  const types = streams.flatMap(stream => stream.types);
  // What was never sent to a proxy that has accepted the rest is no trouble.
  const states = types.map(({ state }) => state);
  const state = states.every(each => each === 'NOT_SENT')
    ? 'NOT_SENT'
    : (byUrgency.find(each => each !== 'NOT_SENT' && states.includes(each)) ?? 'SYNCED');
  return { stream: streams[0] as ProxyStream, types, state };
}
