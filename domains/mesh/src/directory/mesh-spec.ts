import type { MemberCluster } from '../catalog/service-catalog.ts';
import { defaultMeshTraffic, type MeshTraffic } from '../model/traffic-settings.ts';

/** A mesh as it is declared: what belongs to a tenant. */
export interface MeshSpec {
  readonly tenant: string;
  /** At least one. */
  readonly clusters: readonly MemberCluster[];
  /** The cluster that holds the policies. */
  readonly topologyCluster: string;
  readonly isPermissive: boolean;
  readonly traffic: MeshTraffic;
}

/** A logical cluster that no Mesh names is a mesh of its own. */
export const meshOfOneCluster = (cluster: string): MeshSpec => ({
  tenant: cluster,
  clusters: [{ name: cluster }],
  topologyCluster: cluster,
  isPermissive: false,
  traffic: defaultMeshTraffic,
});
