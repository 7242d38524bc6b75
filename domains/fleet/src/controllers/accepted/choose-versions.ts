import { fleetClusterName } from '../../kinds/index.ts';
import { newestVersions } from '../../model/versions.ts';
import type { InstanceStep } from '../instance-step.ts';

/** Gives an instance the newest ready operator version of its cluster and that one's newest product version. */
export const chooseVersions: InstanceStep = (draft, { registry }) => {
  if (draft.status.desired !== undefined && draft.status.state !== 'accepted') return 'continue';
  const { clusterId = '' } = draft.status;
  const cluster = registry.clusters.get(fleetClusterName(draft.spec.product, clusterId));
  const desired = newestVersions(cluster?.status.operatorVersions);
  // A report of the cluster adds it again.
  if (desired === undefined) return 'stop';
  draft.apply({ type: 'versions-chosen', desired });
  return 'continue';
};
