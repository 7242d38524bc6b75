import { isError } from '@chandlery/api';
import { type ClusterRow, updateRow } from '../registry/fleet-registry.ts';
import type { ActionDeps } from './action-deps.ts';

/** How often the last contact of an agent is written. */
const intervalMs = 30_000;

/** Makes a function that remembers when agents last spoke. It writes at most every half minute for each cluster. */
export function createAgentSeen({ registry, clock, logger }: ActionDeps): (cluster: ClusterRow) => void {
  const pending = new Set<string>();
  const remember = async (row: ClusterRow): Promise<void> => {
    const { isAgentSilent: _, ...status } = row.status;
    try {
      await registry.commit([updateRow({ table: 'clusters', row, status: { ...status, lastSeenAt: registry.now() } })]);
    } catch (error) {
      // Another writer changed the cluster; the agent's next request records it.
      if (!isError(error, 'Conflict'))
        logger.warn('the contact of an agent could not be written', { cluster: row.id, error });
    } finally {
      pending.delete(row.id);
    }
  };
  return cluster => {
    const row = registry.clusters.get(cluster.id);
    if (row === undefined || pending.has(row.id)) return;
    const { lastSeenAt, isAgentSilent = false } = row.status;
    const isFresh = lastSeenAt !== undefined && clock.now().getTime() - Date.parse(lastSeenAt) < intervalMs;
    if (isFresh && !isAgentSilent) return;
    pending.add(row.id);
    void remember(row);
  };
}
