import { isDeepStrictEqual } from 'node:util';
import { commitAnew } from '@chandlery/registry';
import { findReady } from '../model/agent-report.ts';
import { inVersionOrder } from '../model/versions.ts';
import { type ClusterRow, type ConfiguredProduct, type FleetWrite, updateRow } from '../registry/fleet-registry.ts';
import type { ActionDeps } from './action-deps.ts';
import type { ClusterReport } from './fleet-actions.ts';

/** Clusters whose agents may report. */
const reportingStates: readonly (string | undefined)[] = ['ready', 'waiting_for_fleetshard_operator'];

/**
 * Takes over what an agent says of its cluster. Versions count only in a report that says Ready, capacity only in mode
 * auto. A report in another state than ready or waiting, or one that changes nothing, writes nothing.
 */
export async function reportCluster(
  { registry, clock }: ActionDeps,
  { configuration }: ConfiguredProduct,
  { cluster, report }: { readonly cluster: ClusterRow; readonly report: ClusterReport },
): Promise<void> {
  const takesCapacity = configuration.settings.scalingType === 'auto';
  await commitAnew<FleetWrite>(registry, () => {
    const row = registry.clusters.get(cluster.id);
    if (row === undefined || !reportingStates.includes(row.status.state)) return [];
    const status = statusOf(row, takesCapacity ? report : { ...report, capacity: undefined });
    if (isDeepStrictEqual({ ...row.status }, status)) return [];
    const isNew = status.state !== row.status.state;
    const lastSeenAt = registry.now();
    const stateSince = isNew ? { stateSince: clock.now().toISOString() } : {};
    return [updateRow({ table: 'clusters', row, status: { ...status, ...stateSince, lastSeenAt } })];
  });
}

function statusOf(
  { status }: ClusterRow,
  { conditions, operatorVersions, capacity }: ClusterReport,
): ClusterRow['status'] {
  const ready = findReady(conditions);
  const said = ready?.status.toLowerCase();
  const state = said === 'true' ? 'ready' : said === 'false' ? 'waiting_for_fleetshard_operator' : status.state;
  const versions =
    said === 'true' && operatorVersions.length > 0
      ? inVersionOrder(operatorVersions.map(entry => ({ ...entry, productVersions: [...entry.productVersions] })))
      : status.operatorVersions;
  const { agentMessage: former, ...rest } = status;
  const agentMessage = said === 'false' ? ready?.message || ready?.reason : said === 'true' ? '' : former;
  return {
    ...rest,
    ...(agentMessage ? { agentMessage } : {}),
    ...(state === undefined ? {} : { state }),
    ...(versions === undefined ? {} : { operatorVersions: versions }),
    ...(capacity === undefined ? {} : { capacity: { ...status.capacity, ...capacity } }),
  };
}
