import type { MemberCluster } from '../catalog/service-catalog.ts';
import { defaultMeshTraffic, type MeshTraffic } from '../model/traffic-settings.ts';

/** The declaration of a tenant's mesh. */
export interface MeshSpec {
  readonly tenant: string;
  /** Has at least one element. */
  readonly clusters: readonly MemberCluster[];
  /** The cluster that holds the policies. */
  readonly topologyCluster: string;
  readonly isPermissive: boolean;
  readonly traffic: MeshTraffic;
}

/** The implicit mesh of a logical cluster that no Mesh names. */
export const meshOfOneCluster = (cluster: string): MeshSpec => ({
  tenant: cluster,
  clusters: [{ name: cluster }],
  topologyCluster: cluster,
  isPermissive: false,
  traffic: defaultMeshTraffic,
});
