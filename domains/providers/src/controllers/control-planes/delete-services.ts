import type { KubeObject } from '@chandlery/api';
import { type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { ControlPlane } from '../../kinds/index.ts';
import type { ControlPlaneNeeds } from './control-plane-needs.ts';
import { waitFor } from './report-control-plane.ts';

const type = 'AllServicesDeleted';

/** Deletes the services of the control plane, which have its name, and waits for their providers to let them go. */
export async function deleteServices(
  controlPlane: ControlPlane,
  needs: ControlPlaneNeeds,
  { now }: StepContext,
): Promise<StepResult> {
  const services = await findServices(controlPlane, needs);
  for (const { ref, object } of services) await needs.onboarding.remove(ref, object);
  if (services.length === 0) {
    setCondition(controlPlane, { type, status: 'True', reason: 'ServicesDeleted' }, now);
    return 'continue';
  }
  const kinds = services.map(({ object }) => `${object.kind} "${object.metadata.name}"`).sort();
  const message = `Waiting for services to go: ${kinds.join(', ')}. Their own conditions say what keeps them.`;
  return waitFor(controlPlane, { type, status: 'False', reason: 'WaitingForServiceDeletion', message }, now);
}

interface Service {
  readonly ref: { readonly group: string; readonly version: string; readonly plural: string };
  readonly object: KubeObject;
}

async function findServices({ metadata }: ControlPlane, needs: ControlPlaneNeeds): Promise<readonly Service[]> {
  const { name = '', namespace = '' } = metadata;
  const services: Service[] = [];
  for (const { group, version, plural } of needs.serviceKinds()) {
    const ref = { group, version, plural };
    const object = await needs.onboarding.find({ ...ref, namespace, name });
    if (object !== undefined) services.push({ ref, object });
  }
  return services;
}
