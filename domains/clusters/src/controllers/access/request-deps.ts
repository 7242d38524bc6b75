import type { AccessRequest, Cluster, ClusterProfile, ClusterRequest } from '../../kinds/index.ts';

interface Ref {
  readonly name: string;
  readonly namespace: string;
}

/** The dependencies of the steps over requests. */
export interface RequestDeps {
  clusterRequest(ref: Ref): ClusterRequest | undefined;
  cluster(ref: Ref): Cluster | undefined;
  profile(name: string): ClusterProfile | undefined;
  /** Deletes the request by uid, not one of the same name created later. A missing one is no error. */
  deleteRequest(request: AccessRequest, signal: AbortSignal): Promise<void>;
}
