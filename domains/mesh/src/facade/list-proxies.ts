import type { ReplicaInquiries } from '../replicas/replica-inquiries.ts';
import type { ShownStream } from './show-proxy.ts';

/** Where the proxies of all replicas are found. */
export interface ProxySources {
  /** Of this replica. */
  readonly replica: string;
  readonly ownProxies: (mesh: string) => readonly ShownStream[];
  readonly inquiries: Pick<ReplicaInquiries<ShownStream>, 'ask'>;
}

/** A stream, and who serves it. */
export interface ListedStream extends ShownStream {
  readonly replica: string;
}

/** Who is connected to a mesh. */
export interface ListedProxies {
  readonly mesh: string;
  readonly items: readonly ListedStream[];
  /** Replicas that did not say who is connected to them; left out when all did. */
  readonly silentReplicas?: readonly string[];
}

/** The proxies of a mesh, whichever replica they are connected to; those of this one first. */
export async function listProxies(mesh: string, sources: ProxySources): Promise<ListedProxies> {
  const { answers, silent } = await sources.inquiries.ask(mesh);
  const own: [string, readonly ShownStream[]] = [sources.replica, sources.ownProxies(mesh)];
  const items = [own, ...[...answers].toSorted(([one], [other]) => (one < other ? -1 : 1))].flatMap(
    ([replica, streams]) => streams.map(stream => ({ ...stream, replica })),
  );
  return { mesh, items, ...(silent.length > 0 && { silentReplicas: silent }) };
}
