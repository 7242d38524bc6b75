import { statusAfter } from '../../actions/change-instance.ts';
import { placeOnCluster } from '../../actions/place-on-cluster.ts';
import { withCondition } from '../../model/instance-conditions.ts';
import type { PassedOver } from '../../model/placement.ts';
import type { ClusterRow, InstanceRow } from '../../registry/fleet-registry.ts';
import type { InstanceStep } from '../instance-step.ts';
import type { WaitingInstances } from './waiting-instances.ts';

/** Clusters notify the waiting; this covers changes without a notification, such as an agent that has spoken again. */
const retryMs = 30_000;
const maxListed = 5;

/** Finds a cluster for an instance that has none, in a commit of its own. Without one it waits, and says why. */
export const createPlace =
  (waiting: WaitingInstances): InstanceStep =>
  async (draft, deps) => {
    if (draft.status.clusterId !== undefined) {
      waiting.remove(draft.row);
      return 'continue';
    }
    waiting.add(draft.row);
    const now = deps.registry.now();
    const statusOn = (row: InstanceRow, { spec }: ClusterRow): InstanceRow['status'] | undefined => {
      const { clusterId } = spec;
      const status = statusAfter(row.status, [{ type: 'placed', clusterId, holds: row.status.holds ?? [] }], now);
      if (status.clusterId !== clusterId) return undefined;
      return { ...status, conditions: withCondition(status.conditions, placed(clusterId), now) };
    };
    const { clusterId, passedOver } = await placeOnCluster(deps, draft.id, statusOn);
    if (clusterId !== undefined) {
      waiting.remove(draft.row);
      return 'stop';
    }
    draft.state(notPlaced(passedOver));
    return { retryAfterMs: retryMs };
  };

const placed = (clusterId: string) =>
  ({ type: 'Placed', status: 'True', reason: 'ClusterFound', message: `on cluster ${clusterId}` }) as const;

function notPlaced(passedOver: readonly PassedOver[]) {
  const listed = passedOver.slice(0, maxListed).map(({ clusterId, reason }) => `${clusterId}: ${reason}`);
  const more = passedOver.length > maxListed ? [`and ${passedOver.length - maxListed} more`] : [];
  const message = passedOver.length === 0 ? 'the region has no clusters' : [...listed, ...more].join('; ');
  return { type: 'Placed', status: 'False', reason: 'NoClusterFits', message } as const;
}
