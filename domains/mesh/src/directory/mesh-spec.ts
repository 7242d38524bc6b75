import { brokersCluster } from '@chandlery/brokers/kinds';
import type { MemberCluster } from '../catalog/service-catalog.ts';
import { everyTenant, type InstanceSelection } from '../model/mesh-instance.ts';
import { defaultMeshTraffic, type MeshTraffic } from '../model/traffic-settings.ts';

/** The declaration of a tenant's mesh. */
export interface MeshSpec {
  readonly tenant: string;
  /** Has at least one element. */
  readonly clusters: readonly MemberCluster[];
  /** The cluster that holds the policies. */
  readonly topologyCluster: string;
  readonly isPermissive: boolean;
  /** The tenants whose service instances are services of the mesh. */
  readonly instances: readonly InstanceSelection[];
  readonly traffic: MeshTraffic;
}

/** The implicit mesh of a logical cluster that no Mesh names. */
export const meshOfOneCluster = (cluster: string): MeshSpec => ({
  tenant: cluster,
  clusters: [{ name: cluster }],
  topologyCluster: cluster,
  isPermissive: false,
  instances: defaultInstances([{ name: cluster }]),
  traffic: defaultMeshTraffic,
});

/** The mesh of the cluster on which tenants have their namespaces takes the instances of all. */
export const defaultInstances = (clusters: readonly Pick<MemberCluster, 'name'>[]): readonly InstanceSelection[] =>
  clusters.some(({ name }) => name === brokersCluster) ? [{ tenant: everyTenant }] : [];
