import type { AccessRequest } from '@chandlery/clusters/kinds';
import type { Step, StepResult } from '@chandlery/runtime';

export interface MemberAccessDeps {
  /** Whether a mesh has the cluster, as it is stored now. */
  readonly isMember: (cluster: string) => Promise<boolean>;
  /** Deletes a request, unless somebody has asked again since it was read: then rejects with `Conflict`. */
  readonly release: (request: AccessRequest) => Promise<void>;
}

/** Gives back the access to a cluster that is in no mesh any longer. */
export const releaseAccess: Step<AccessRequest, MemberAccessDeps> = async (request, deps): Promise<StepResult> => {
  const cluster = request.spec.clusterRef?.name;
  if (cluster === undefined || (await deps.isMember(cluster))) return 'continue';
  await deps.release(request);
  return 'stop';
};
