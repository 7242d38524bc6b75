import { type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { ControlPlane } from '../../kinds/index.ts';
import { identityOf } from '../../model/control-planes/control-plane-names.ts';
import { providerBinding, tenantNamespaceObject } from '../../model/control-planes/control-plane-objects.ts';
import { namespaceState } from '../../model/tenants/namespace-state.ts';
import { refs } from '../../model/tenants/refs.ts';
import type { ControlPlaneDeps } from './control-plane-deps.ts';
import { waitFor } from './report-control-plane.ts';

/** Creates the namespace of the control plane on the platform cluster, and gives providers rights in it. */
export async function ensureTenantNamespace(
  controlPlane: ControlPlane,
  { platform }: ControlPlaneDeps,
  { now }: StepContext,
): Promise<StepResult> {
  const identity = identityOf(controlPlane);
  const wanted = tenantNamespaceObject(identity);
  const name = identity.tenantNamespace;
  const state = namespaceState(await platform.find({ ...refs.namespaces, name }), identity.labels);
  if (state === 'foreign') return waitFor(controlPlane, foreign(name), now);
  if (state === 'terminating') return waitFor(controlPlane, terminating(name), now);
  if (state === 'absent') await platform.create(refs.namespaces, wanted);
  else await platform.apply({ plural: refs.namespaces.plural, object: wanted });
  await platform.apply(providerBinding(identity));
  setCondition(controlPlane, { type: 'Meta', status: 'True', reason: 'NamespaceReady' }, now);
  return 'continue';
}

const foreign = (name: string) => ({
  type: 'Meta',
  status: 'False' as const,
  reason: 'ConfigurationProblem',
  message: `Namespace "${name}" on the platform cluster belongs to another owner, as its labels say; manual cleanup by the operator is required.`,
});

const terminating = (name: string) => ({
  type: 'Meta',
  status: 'False' as const,
  reason: 'WaitingForNamespaceDeletion',
  message: `Namespace "${name}" on the platform cluster is being deleted; it is created again after that.`,
});
