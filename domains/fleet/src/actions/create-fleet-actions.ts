import type { ActionDeps } from './action-deps.ts';
import { adminPatchInstance } from './admin-patch.ts';
import { createAgentSeen } from './agent-seen.ts';
import { changeOwner } from './change-owner.ts';
import { createInstance } from './create-instance.ts';
import { adminDeleteInstance, deleteInstance } from './delete-instance.ts';
import type { FleetActions } from './fleet-actions.ts';
import { reportCluster } from './report-cluster.ts';
import { reportInstances } from './report-instances.ts';
import { createUserSeen } from './user-seen.ts';

/** Joins all use cases. */
export function createFleetActions(deps: ActionDeps): FleetActions {
  const agentSeen = createAgentSeen(deps);
  return {
    create: (product, caller, request) => createInstance(deps, product, { caller, request }),
    delete: (product, caller, id) => deleteInstance(deps, product, { caller, id }),
    adminDelete: (product, id) => adminDeleteInstance(deps, product, id),
    changeOwner: (product, caller, change) => changeOwner(deps, product, { caller, ...change }),
    adminPatch: (product, id, patch) => adminPatchInstance(deps, product, { id, patch }),
    reportInstances: (product, cluster, reports) => reportInstances(deps, { product, cluster }, reports),
    reportCluster: (product, cluster, report) => reportCluster(deps, product, { cluster, report }),
    agentSeen: (_product, cluster) => agentSeen(cluster),
    userSeen: createUserSeen(deps),
  };
}
