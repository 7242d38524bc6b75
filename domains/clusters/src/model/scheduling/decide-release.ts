import type { Cluster } from '../../kinds/cluster.ts';
import type { ClusterRequest } from '../../kinds/cluster-request.ts';
import { clusterNames } from '../../kinds/names.ts';
import { byKey } from './choose-cluster.ts';
import { holdersOf, withoutHolds } from './holds.ts';
import type { ReleasePlan, SchedulingView } from './plan.ts';
import { isExclusive } from './purpose-rule.ts';

/** Decides the next action for a request that is being deleted; called again until it is done. */
export function decideRelease(request: ClusterRequest, view: Pick<SchedulingView, 'at' | 'heldBy'>): ReleasePlan {
  const { uid = '' } = request.metadata;
  const [held] = [...view.heldBy(uid)].sort(byKey);
  if (held !== undefined) return letGoOf(held, uid);
  const given = request.status?.cluster && view.at(request.status.cluster);
  if (given?.metadata.deletionTimestamp === undefined || !isWaiting(request, given)) return { type: 'done' };
  return { type: 'wait', cluster: given };
}

/** Decides about clusters that a request holds besides its own: two schedulers had chosen concurrently. */
export function decideStrays(request: ClusterRequest, view: Pick<SchedulingView, 'heldBy'>): ReleasePlan {
  const given = request.status?.cluster;
  if (given === undefined) return { type: 'done' };
  const { uid = '' } = request.metadata;
  const isOther = ({ metadata: { name, namespace } }: Cluster): boolean =>
    name !== given.name || namespace !== given.namespace;
  const [stray] = view.heldBy(uid).filter(isOther).sort(byKey);
  return stray === undefined ? { type: 'done' } : letGoOf(stray, uid);
}

const letGoOf = (cluster: Cluster, uid: string): ReleasePlan =>
  isToBeDeleted(cluster)
    ? { type: 'delete', cluster }
    : { type: 'let-go', cluster, finalizers: withoutHolds(cluster, [uid]) };

/** Whether only the deleted request holds the cluster, and it is deleted with its last request. */
const isToBeDeleted = (cluster: Cluster): boolean =>
  cluster.metadata.deletionTimestamp === undefined &&
  cluster.metadata.labels?.[clusterNames.deleteWithoutRequestsLabel] === 'true' &&
  holdersOf(cluster).length === 1;

const isWaiting = ({ spec }: ClusterRequest, cluster: Cluster): boolean =>
  spec.waitForClusterDeletion ?? isExclusive(cluster);
