import { type ControlPlane, providerNames } from '../kinds/index.ts';
import { isTenantPurpose } from '../model/control-planes/control-plane-objects.ts';
import type { Admission } from './admit-tenant.ts';

export interface ControlPlaneWrite {
  /** The object to be stored. Not changed. */
  readonly object: ControlPlane;
  /** The stored object; undefined for a creation. */
  readonly live: ControlPlane | undefined;
}

const { purposeLabel } = providerNames;

/** Admits a write of a ControlPlane: the purpose of its cluster is immutable, and one of those for control planes. */
export function admitControlPlane({ object, live }: ControlPlaneWrite): Admission<ControlPlane> {
  const purpose = object.metadata.labels?.[purposeLabel];
  if (live !== undefined && purpose !== live.metadata.labels?.[purposeLabel])
    return { type: 'deny', message: chosenOnce };
  if (live === undefined && purpose !== undefined && !isTenantPurpose(purpose)) {
    return { type: 'deny', message: `the label ${purposeLabel} must contain "mcp", but is "${purpose}"` };
  }
  return { type: 'allow', object };
}

const chosenOnce = `the label ${purposeLabel} can be set only when the control plane is created`;
