import type { KubeObject } from '@chandlery/api';
import type { CloudResource } from '../../kinds/clouds/cloud-resource.ts';
import type { EndpointSet } from '../../kinds/endpoint-set.ts';
import type { AccountView } from '../../model/clouds/plan-resource.ts';

export interface CloudResourceDeps {
  /** Name of the cloud, such as `aws`. */
  readonly cloud: string;
  readonly viewAccount: (resource: CloudResource) => AccountView;
  readonly findSet: (namespace: string, name: string) => EndpointSet | undefined;
  /** The sets that an owner controls. */
  readonly setsOf: (owner: KubeObject) => readonly EndpointSet[];
  readonly putSet: (set: EndpointSet, signal: AbortSignal) => Promise<void>;
  /** A set that does not exist counts as deleted. */
  readonly deleteSet: (namespace: string, name: string, signal: AbortSignal) => Promise<void>;
}
