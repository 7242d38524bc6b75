import type { StepContext, StepResult } from '@chandlery/runtime';
import type { ControlPlane } from '../../kinds/index.ts';
import { identityOf } from '../../model/control-planes/control-plane-names.ts';
import { namespaceState } from '../../model/tenants/namespace-state.ts';
import { refs } from '../../model/tenants/refs.ts';
import type { ControlPlaneDeps } from './control-plane-deps.ts';
import { waitFor } from './report-control-plane.ts';

/** Deletes the namespace on the platform cluster and waits until it is removed, unless it has another owner. */
export async function deleteTenantNamespace(
  controlPlane: ControlPlane,
  { platform }: ControlPlaneDeps,
  { now }: StepContext,
): Promise<StepResult> {
  const { tenantNamespace: name, labels } = identityOf(controlPlane);
  const namespace = await platform.find({ ...refs.namespaces, name });
  if (namespace === undefined || namespaceState(namespace, labels) === 'foreign') return 'continue';
  await platform.remove(refs.namespaces, namespace);
  const message = `Waiting for namespace "${name}" on the platform cluster to go; its own conditions say what is left in it.`;
  return waitFor(controlPlane, { type: 'Meta', status: 'False', reason: 'WaitingForNamespaceDeletion', message }, now);
}
