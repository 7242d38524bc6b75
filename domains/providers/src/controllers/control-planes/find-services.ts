import type { KubeObject } from '@chandlery/api';
import { type AccessRequest, accessRequests } from '@chandlery/clusters/kinds';
import type { ControlPlane } from '../../kinds/index.ts';
import { isBound } from '../../model/control-planes/bound-services.ts';
import { identityOf } from '../../model/control-planes/control-plane-names.ts';
import type { ControlPlaneDeps } from './control-plane-deps.ts';

/** A service object that uses a control plane. */
export interface BoundService {
  readonly ref: { readonly group: string; readonly version: string; readonly plural: string };
  readonly object: KubeObject;
}

/** Reads the services that use a control plane: those of its name and namespace whose provider requested access to it. */
export async function findServices(
  controlPlane: ControlPlane,
  { platform, onboarding, offeredKinds }: ControlPlaneDeps,
): Promise<readonly BoundService[]> {
  const { name = '', namespace = '' } = controlPlane.metadata;
  const { tenantNamespace } = identityOf(controlPlane);
  const requests = await platform.list<AccessRequest>({ ...accessRequests.ref, namespace: tenantNamespace });
  const services: BoundService[] = [];
  for (const { group, version, plural } of offeredKinds().filter(kind => isBound(kind, requests))) {
    const ref = { group, version, plural };
    const object = await onboarding.find({ ...ref, namespace, name });
    if (object !== undefined) services.push({ ref, object });
  }
  return services;
}

/** `Foo "a"`, sorted, so that the same services give the same text. */
export const namesOfServices = (services: readonly BoundService[]): readonly string[] =>
  services.map(({ object }) => `${object.kind} "${object.metadata.name}"`).sort();
