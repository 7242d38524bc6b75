import { fleetClusterName } from '../../kinds/index.ts';
import type { InstanceStep } from '../instance-step.ts';

/**
 * Waits for the agent to delete the instance, unless no agent ever saw it or its cluster no longer exists: its row is
 * removed, or an operator gave it up.
 */
export const leaveDataPlane: InstanceStep = (draft, { registry }) => {
  const { state, host, clusterId } = draft.status;
  if (state === 'deleting') return 'continue';
  const isSeen = host !== undefined && clusterId !== undefined;
  const cluster = isSeen ? registry.clusters.get(fleetClusterName(draft.spec.product, clusterId)) : undefined;
  if (cluster !== undefined && cluster.status.lost !== true) return 'stop';
  draft.apply({ type: 'data-plane-gone' });
  return 'continue';
};
