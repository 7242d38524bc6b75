import type { KubeObject } from '@chandlery/api';
import type { Step } from '@chandlery/runtime';
import type { ControlPlane, ControlPlaneConfig } from '../../kinds/index.ts';
import type { OfferedKind } from '../../model/control-planes/bound-services.ts';
import type { ClusterObjects } from '../../ports.ts';

/** The dependencies of the steps of control planes. */
export interface ControlPlaneDeps {
  readonly platform: ClusterObjects;
  readonly onboarding: ClusterObjects;
  readonly config: () => ControlPlaneConfig['spec'];
  /** The kinds that providers offer, as far as they are served on the onboarding cluster. */
  readonly offeredKinds: () => readonly OfferedKind[];
}

export type ControlPlaneStep = Step<ControlPlane, ControlPlaneDeps>;

/** `namespace/name`, for messages. */
export const pathOf = ({ metadata: { namespace, name } }: KubeObject): string =>
  namespace === undefined ? `${name}` : `${namespace}/${name}`;
