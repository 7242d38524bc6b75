import { type ClusterRequest, clusterRequests } from '@chandlery/clusters/kinds';
import { removeFinalizer, type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { ControlPlane } from '../../kinds/index.ts';
import { identityOf, requestFinalizer, requestsInFinalizers } from '../../model/control-planes/control-plane-names.ts';
import { requestsToDelete } from '../../model/control-planes/requests-to-delete.ts';
import { type ControlPlaneDeps, pathOf } from './control-plane-deps.ts';
import { waitFor } from './report-control-plane.ts';

const type = 'AllClusterRequestsDeleted';

/** Deletes the ClusterRequests: others first, then that of the control plane itself. */
export async function deleteClusterRequests(
  controlPlane: ControlPlane,
  { platform }: ControlPlaneDeps,
  { now }: StepContext,
): Promise<StepResult> {
  const identity = identityOf(controlPlane);
  const at = { ...clusterRequests.ref, namespace: identity.tenantNamespace };
  const all = await platform.list<ClusterRequest>(at);
  const left = requestsToDelete(identity, requestsInFinalizers(controlPlane), all);
  for (const request of left) await platform.remove(clusterRequests.ref, request);
  dropFinalizers(controlPlane, left.length === 0 ? [] : all);
  if (left.length === 0) {
    setCondition(controlPlane, { type, status: 'True', reason: 'ClusterRequestsDeleted' }, now);
    return 'continue';
  }
  const message = `Waiting on the platform cluster for ClusterRequests to go: ${left.map(pathOf).sort().join(', ')}.`;
  return waitFor(controlPlane, { type, status: 'False', reason: 'WaitingForClusterRequestDeletion', message }, now);
}

/** Drops the finalizers of requests that are deleted or never existed. */
function dropFinalizers(controlPlane: ControlPlane, existing: readonly ClusterRequest[]): void {
  const names = new Set(existing.map(({ metadata }) => metadata.name));
  for (const request of requestsInFinalizers(controlPlane)) {
    if (!names.has(request)) removeFinalizer(controlPlane, requestFinalizer(request));
  }
}
