import type { AccessRequest, Cluster, ClusterProfile, ClusterRequest } from '../../kinds/index.ts';

interface Ref {
  readonly name: string;
  readonly namespace: string;
}

/** What the steps over requests need from the platform cluster. */
export interface RequestNeeds {
  clusterRequest(ref: Ref): ClusterRequest | undefined;
  cluster(ref: Ref): Cluster | undefined;
  profile(name: string): ClusterProfile | undefined;
  /** Deletes just this request, not one that has its name by now. One that is gone is no error. */
  deleteRequest(request: AccessRequest, signal: AbortSignal): Promise<void>;
}
