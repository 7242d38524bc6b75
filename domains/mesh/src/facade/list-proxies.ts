import type { ProxyList, ReplicaStream } from '../kinds/rest-documents.ts';
import type { ReplicaInquiries } from '../replicas/replica-inquiries.ts';

/** Sources of the proxies of all replicas. */
export interface ProxySources {
  /** Name of this replica. */
  readonly replica: string;
  readonly ownProxies: (mesh: string) => readonly ReplicaStream[];
  readonly inquiries: Pick<ReplicaInquiries<ReplicaStream>, 'ask'>;
}

/** Lists the proxies of a mesh over all replicas, those of this replica first. */
export async function listProxies(mesh: string, sources: ProxySources): Promise<ProxyList> {
  const { answers, silent } = await sources.inquiries.ask(mesh);
  const own: [string, readonly ReplicaStream[]] = [sources.replica, sources.ownProxies(mesh)];
  const items = [own, ...[...answers].toSorted(([one], [other]) => (one < other ? -1 : 1))].flatMap(
    ([replica, streams]) => streams.map(stream => ({ ...stream, replica })),
  );
  return { mesh, items, ...(silent.length > 0 && { silentReplicas: silent }) };
}
