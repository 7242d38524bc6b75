import type { ReplicaInquiries } from '../replicas/replica-inquiries.ts';
import type { ShownStream } from './show-proxy.ts';

/** Sources of the proxies of all replicas. */
export interface ProxySources {
  /** Name of this replica. */
  readonly replica: string;
  readonly ownProxies: (mesh: string) => readonly ShownStream[];
  readonly inquiries: Pick<ReplicaInquiries<ShownStream>, 'ask'>;
}

/** A stream, and the replica that serves it. */
export interface ListedStream extends ShownStream {
  readonly replica: string;
}

/** The proxies that are connected to a mesh. */
export interface ListedProxies {
  readonly mesh: string;
  readonly items: readonly ListedStream[];
  /** Replicas that did not respond in time; left out when all did. */
  readonly silentReplicas?: readonly string[];
}

/** Lists the proxies of a mesh over all replicas, those of this replica first. */
export async function listProxies(mesh: string, sources: ProxySources): Promise<ListedProxies> {
  const { answers, silent } = await sources.inquiries.ask(mesh);
  const own: [string, readonly ShownStream[]] = [sources.replica, sources.ownProxies(mesh)];
  const items = [own, ...[...answers].toSorted(([one], [other]) => (one < other ? -1 : 1))].flatMap(
    ([replica, streams]) => streams.map(stream => ({ ...stream, replica })),
  );
  return { mesh, items, ...(silent.length > 0 && { silentReplicas: silent }) };
}
