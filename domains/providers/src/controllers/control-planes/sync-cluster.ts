import { type Cluster, type ClusterRequest, clusterRequests, clusters } from '@chandlery/clusters/kinds';
import { conditionsOf, removeCondition, type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { ControlPlane } from '../../kinds/index.ts';
import { identityOf } from '../../model/control-planes/control-plane-names.ts';
import {
  clusterConditionPrefix,
  clusterConditions,
  exposedEndpoints,
} from '../../model/control-planes/observed-cluster.ts';
import type { ControlPlaneDeps } from './control-plane-deps.ts';

const type = 'ClusterConditionsSynced';

/** Reports state and endpoints of the cluster. Granted access stays, whatever the state is. */
export async function syncCluster(
  controlPlane: ControlPlane,
  deps: ControlPlaneDeps,
  { now }: StepContext,
): Promise<StepResult> {
  const cluster = await findCluster(controlPlane, deps);
  dropStale(controlPlane, cluster);
  if (cluster === undefined) {
    setCondition(controlPlane, { type, status: 'False', reason: 'InvalidReference', message: noCluster }, now);
    return 'continue';
  }
  for (const condition of clusterConditions(cluster)) setCondition(controlPlane, condition, now);
  controlPlane.status = { ...controlPlane.status, endpoints: exposedEndpoints(cluster, deps.config()) };
  setCondition(controlPlane, { type, status: 'True', reason: 'ClusterConditionsCopied' }, now);
  return 'continue';
}

async function findCluster(controlPlane: ControlPlane, { platform }: ControlPlaneDeps): Promise<Cluster | undefined> {
  const { name, tenantNamespace: namespace } = identityOf(controlPlane);
  const request = await platform.find<ClusterRequest>({ ...clusterRequests.ref, namespace, name });
  const given = request?.status?.cluster;
  return given && platform.find<Cluster>({ ...clusters.ref, ...given });
}

/** Drops conditions that the cluster no longer has. */
function dropStale(controlPlane: ControlPlane, cluster: Cluster | undefined): void {
  const kept = new Set(cluster === undefined ? [] : clusterConditions(cluster).map(({ type }) => type));
  for (const { type } of conditionsOf(controlPlane)) {
    if (type.startsWith(clusterConditionPrefix) && !kept.has(type)) removeCondition(controlPlane, type);
  }
}

const noCluster = 'The cluster that was given does not exist; the operator has to look at the ClusterRequest.';
