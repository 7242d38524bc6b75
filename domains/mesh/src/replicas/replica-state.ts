import { emptyMachineReport, type MachineReport } from '../ports/endpoints.ts';
import type { Proxy } from '../ports.ts';
import type { StreamStatus } from '../xds/stream-status.ts';
import type { ReplicaState } from './replica-report.ts';

/**
 * The state of this replica, from its clients, their streams, and its machines. All lists are sorted, so that equal
 * states are deeply equal.
 */
export function replicaStateOf(
  trustVersion: string,
  clients: Iterable<{ readonly proxy: Proxy; readonly rootFingerprint: string }>,
  streams: Iterable<StreamStatus>,
  { connected, lost }: MachineReport = emptyMachineReport,
): ReplicaState {
  const byRoot = new Map<string, Set<string>>();
  const byMesh = new Map<string, Set<string>>();
  const nodeIds = new Set<string>();
  for (const { proxy, rootFingerprint } of clients) {
    nodeIds.add(proxy.nodeId);
    const { tenant } = proxy.identity;
    byMesh.set(tenant, (byMesh.get(tenant) ?? new Set()).add(proxy.nodeId));
    byRoot.set(rootFingerprint, (byRoot.get(rootFingerprint) ?? new Set()).add(proxy.nodeId));
  }
  const waiting = [...streams].filter(isBehindWithSecrets).map(({ proxy }) => proxy.nodeId);
  return {
    trustVersion,
    proxies: nodeIds.size,
    waitingFor: sorted(waiting),
    meshes: sorted(byMesh.keys()).map(name => ({ name, proxies: byMesh.get(name)?.size ?? 0 })),
    ...(connected.length > 0 && { machines: sorted(connected) }),
    ...(lost.length > 0 && { lostMachines: sorted(lost) }),
    roots: sorted(byRoot.keys()).map(fingerprint => ({ fingerprint, nodeIds: sorted(byRoot.get(fingerprint) ?? []) })),
  };
}

/** A proxy that never subscribes to secrets has its own certificates; rotations do not wait for it. */
const isBehindWithSecrets = ({ types }: StreamStatus): boolean =>
  types.some(
    ({ type, isInFlight, hasMore, error }) => type === 'secret' && (isInFlight || hasMore || error !== undefined),
  );

const sorted = (texts: Iterable<string>): string[] => [...new Set(texts)].sort();
