import type { ActionDeps } from './action-deps.ts';
import { adminPatchInstance } from './admin-patch.ts';
import { createAgentSeen } from './agent-seen.ts';
import { adminDeleteInstance, deleteInstance } from './delete-instance.ts';
import type { FleetActions } from './fleet-actions.ts';
import { reportCluster } from './report-cluster.ts';
import { reportInstances } from './report-instances.ts';

/** Use cases that move instances and clusters from state to state. */
export type LifecycleActions = Omit<FleetActions, 'create' | 'changeOwner' | 'userSeen'>;

/** Makes the use cases of deletion, administration and agents. */
export function createLifecycleActions(deps: ActionDeps): LifecycleActions {
  const agentSeen = createAgentSeen(deps);
  return {
    delete: (product, caller, id) => deleteInstance(deps, product, { caller, id }),
    adminDelete: (product, id) => adminDeleteInstance(deps, product, id),
    adminPatch: (product, id, patch) => adminPatchInstance(deps, product, { id, patch }),
    reportInstances: (product, cluster, reports) => reportInstances(deps, { product, cluster }, reports),
    reportCluster: (product, cluster, report) => reportCluster(deps, product, { cluster, report }),
    agentSeen: (_product, cluster) => agentSeen(cluster),
  };
}
