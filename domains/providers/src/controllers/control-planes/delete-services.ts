import { type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { ControlPlane } from '../../kinds/index.ts';
import type { ControlPlaneDeps } from './control-plane-deps.ts';
import { findServices, namesOfServices } from './find-services.ts';
import { waitFor } from './report-control-plane.ts';

const type = 'AllServicesDeleted';

/** Deletes the services that use the control plane, and waits for their providers to release them. */
export async function deleteServices(
  controlPlane: ControlPlane,
  deps: ControlPlaneDeps,
  { now }: StepContext,
): Promise<StepResult> {
  const services = await findServices(controlPlane, deps);
  for (const { ref, object } of services) await deps.onboarding.remove(ref, object);
  if (services.length === 0) {
    setCondition(controlPlane, { type, status: 'True', reason: 'ServicesDeleted' }, now);
    return 'continue';
  }
  const message = `Waiting for services to go: ${namesOfServices(services).join(', ')}. Their own conditions say what keeps them.`;
  return waitFor(controlPlane, { type, status: 'False', reason: 'WaitingForServiceDeletion', message }, now);
}
