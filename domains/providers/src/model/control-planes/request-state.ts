import type { Condition } from '@chandlery/api';
import type { AccessRequest, ClusterRequest } from '@chandlery/clusters/kinds';

/** The state of a request that another controller grants. */
export type RequestState<T> =
  | { readonly type: 'granted'; readonly value: T }
  | { readonly type: 'waiting'; readonly reason: string; readonly message: string };

type ClusterRef = NonNullable<NonNullable<ClusterRequest['status']>['cluster']>;

/** Reasons that are reported, because waiting does not help. */
const reportedReasons = new Set(['CapabilityMissing', 'ClusterConflict', 'ConfigurationProblem', 'InvalidReference']);

/** Whether a cluster was assigned. */
export const clusterRequestState = (request: ClusterRequest): RequestState<ClusterRef> =>
  stateOf(request, { waiting: 'WaitingForClusterRequest', value: request.status?.cluster });

/** Whether access was granted, and its Secret. */
export const accessRequestState = (request: AccessRequest): RequestState<string> =>
  stateOf(request, { waiting: 'WaitingForAccessRequest', value: request.status?.secretRef?.name });

function stateOf<T>(
  request: ClusterRequest | AccessRequest,
  { waiting, value }: { readonly waiting: string; readonly value: T | undefined },
): RequestState<T> {
  const { kind, metadata, status } = request;
  const at = `${kind} "${metadata.namespace}/${metadata.name}" on the platform cluster`;
  if (metadata.deletionTimestamp !== undefined) {
    return {
      type: 'waiting',
      reason: `${waiting}Deletion`,
      message: `${at} is being deleted; it is created again after that.`,
    };
  }
  if (status?.phase === 'Granted' && value !== undefined) return { type: 'granted', value };
  const problem = problemOf(status?.conditions ?? []);
  const reason = problem?.reason !== undefined && reportedReasons.has(problem.reason) ? problem.reason : waiting;
  const message = `${at} is ${(status?.phase ?? 'Pending').toLowerCase()}${problem?.message ? `: ${problem.message}` : '.'}`;
  return { type: 'waiting', reason, message };
}

/** The first condition that reports a problem. */
const problemOf = (conditions: readonly Condition[]): Condition | undefined =>
  conditions.find(({ type, status }) => type === 'Ready' && status !== 'True') ??
  conditions.find(({ type, status }) => type !== 'Paused' && status !== 'True');
