import { type ClusterRequest, clusterRequests } from '@chandlery/clusters/kinds';
import { addFinalizer, type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import { type ControlPlane, providerNames } from '../../kinds/index.ts';
import {
  copiedLabels,
  type Identity,
  identityOf,
  requestFinalizer,
} from '../../model/control-planes/control-plane-names.ts';
import {
  desiredClusterRequest,
  isForeign,
  isTenantPurpose,
  purposeOf,
} from '../../model/control-planes/control-plane-objects.ts';
import { clusterRequestState } from '../../model/control-planes/request-state.ts';
import { refs } from '../../model/tenants/refs.ts';
import { tenantLabels } from '../../model/tenants/tenant-place.ts';
import type { ControlPlaneDeps } from './control-plane-deps.ts';
import { waitFor } from './report-control-plane.ts';

const type = 'ClusterRequestReady';

/** Requests the cluster of the control plane, and waits until it is granted. */
export async function ensureClusterRequest(
  controlPlane: ControlPlane,
  deps: ControlPlaneDeps,
  { now }: StepContext,
): Promise<StepResult> {
  const identity = identityOf(controlPlane);
  const { name, tenantNamespace: namespace } = identity;
  addFinalizer(controlPlane, requestFinalizer(name));
  const found = await deps.platform.find<ClusterRequest>({ ...clusterRequests.ref, namespace, name });
  if (found !== undefined && isForeign(identity, found)) return waitFor(controlPlane, foreign(identity), now);
  const chosen = controlPlane.metadata.labels?.[providerNames.purposeLabel];
  if (found === undefined && chosen !== undefined && !isTenantPurpose(chosen)) {
    return waitFor(controlPlane, badPurpose(chosen), now);
  }
  const isLeaving = found?.metadata.deletionTimestamp !== undefined;
  const request = isLeaving ? found : await applyRequest(controlPlane, deps, found);
  const state = clusterRequestState(request);
  if (state.type === 'waiting') return waitFor(controlPlane, { ...state, type, status: 'False' }, now);
  setCondition(controlPlane, { type, status: 'True', reason: 'ClusterRequestGranted' }, now);
  return 'continue';
}

async function applyRequest(
  controlPlane: ControlPlane,
  { platform, onboarding, config }: ControlPlaneDeps,
  found: ClusterRequest | undefined,
): Promise<ClusterRequest> {
  const identity = identityOf(controlPlane);
  const namespace = await onboarding.find({ ...refs.namespaces, name: identity.namespace });
  const { labels = {} } = namespace?.metadata ?? {};
  const tenant = { project: labels[tenantLabels.project], workspace: labels[tenantLabels.workspace] };
  const purpose = purposeOf(controlPlane, config(), found);
  return platform.apply(desiredClusterRequest(identity, { purpose, copied: copiedLabels(identity, tenant) }));
}

const foreign = ({ name, tenantNamespace }: Identity) => ({
  type,
  status: 'False' as const,
  reason: 'ClusterConflict',
  message: `ClusterRequest "${tenantNamespace}/${name}" on the platform cluster belongs to another owner, as its labels say; manual cleanup by the operator is required.`,
});

/** Admission, where there is any, rejects it too. */
const badPurpose = (purpose: string) => ({
  type,
  status: 'False' as const,
  reason: 'ConfigurationProblem',
  message: `The label ${providerNames.purposeLabel} must contain "mcp", but is "${purpose}"; create the control plane again.`,
});
