import type { ObjectState } from '@chandlery/api';

export type SyncState = 'SYNCED' | 'NOT_SENT' | 'STALE' | 'ERROR';

/** How a proxy stands with one type of configuration. */
export interface ProxyType {
  readonly type: string;
  readonly state: SyncState;
  readonly subscribed: '*' | number;
  readonly isInFlight: boolean;
  readonly counts: { readonly sent: number; readonly acked: number; readonly refused: number };
  readonly sentVersion?: string;
  readonly sentAt?: string;
  readonly ackedVersion?: string;
  readonly ackedAt?: string;
  readonly error?: { readonly code: number; readonly message: string; readonly at: string };
}

export interface ProxyStream {
  readonly nodeId: string;
  readonly identity: string;
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly cluster: string;
  readonly dialect: string;
  readonly peer: string;
  readonly replica: string;
  readonly connectedAt: string;
  readonly certificate?: { readonly root: string; readonly notAfter?: string };
  readonly types: readonly ProxyType[];
}

export interface ProxyList {
  readonly items: readonly ProxyStream[];
  readonly silentReplicas?: readonly string[];
}

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
