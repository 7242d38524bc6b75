import type { StepContext, StepResult } from '@chandlery/runtime';
import { type ControlPlane, type RetainedService, retainedServices } from '../../kinds/index.ts';
import type { ControlPlaneDeps } from './control-plane-deps.ts';
import { waitFor } from './report-control-plane.ts';

/** Waits for retained services that still need the control plane: only the tenant may end them. */
export async function awaitRetainedServices(
  controlPlane: ControlPlane,
  { onboarding }: ControlPlaneDeps,
  { now }: StepContext,
): Promise<StepResult> {
  const { name, namespace = '' } = controlPlane.metadata;
  const all = await onboarding.list<RetainedService>({ ...retainedServices.ref, namespace });
  const names = all.filter(({ spec }) => spec.controlPlane === name).map(({ metadata }) => `"${metadata.name}"`);
  if (names.length === 0) return 'continue';
  const message = `Services that were let go still need it: RetainedService ${names.sort().join(', ')}. Delete them, which ends these services, or order them again.`;
  return waitFor(
    controlPlane,
    { type: 'RetainedServicesEnded', status: 'False', reason: 'RetainedServicesRemain', message },
    now,
  );
}
