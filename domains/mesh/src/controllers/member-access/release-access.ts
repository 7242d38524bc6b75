import type { AccessRequest } from '@chandlery/clusters/kinds';
import type { Step, StepResult } from '@chandlery/runtime';

export interface AccessNeeds {
  /** Whether a mesh has the cluster, as it is stored now. */
  readonly isMember: (cluster: string) => Promise<boolean>;
  /** Deletes a request, unless somebody has asked again since it was read: then rejects with `Conflict`. */
  readonly release: (request: AccessRequest) => Promise<void>;
}

/** Gives back the access to a cluster that is in no mesh any longer. */
export const releaseAccess: Step<AccessRequest, AccessNeeds> = async (request, needs): Promise<StepResult> => {
  const cluster = request.spec.clusterRef?.name;
  if (cluster === undefined || (await needs.isMember(cluster))) return 'continue';
  await needs.release(request);
  return 'stop';
};
