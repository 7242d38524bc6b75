import { type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { ControlPlane } from '../../kinds/index.ts';
import type { ControlPlaneDeps } from './control-plane-deps.ts';
import { findServices, namesOfServices } from './find-services.ts';

const type = 'ServicesListed';

/** Lists the services that use the control plane, which are deleted with it. */
export async function listServices(
  controlPlane: ControlPlane,
  deps: ControlPlaneDeps,
  { now }: StepContext,
): Promise<StepResult> {
  const services = await findServices(controlPlane, deps);
  const listed = services.map(({ object: { apiVersion, kind, metadata } }) => ({
    apiVersion,
    kind,
    name: metadata.name ?? '',
  }));
  controlPlane.status = { ...controlPlane.status, services: listed };
  const isEmpty = services.length === 0;
  const reason = isEmpty ? 'NoServices' : 'ServicesFound';
  const message = isEmpty
    ? 'No service uses this control plane.'
    : `Deleting this control plane deletes ${namesOfServices(services).join(', ')}.`;
  setCondition(controlPlane, { type, status: 'True', reason, message }, now);
  return 'continue';
}
