import type { KeyedMutex } from '@chandlery/platform';
import type { Cluster } from '../../kinds/cluster.ts';
import type { ClusterRequest } from '../../kinds/cluster-request.ts';
import type { SchedulerConfig } from '../../kinds/scheduler-config.ts';
import type { Chance, HoldMetadata, SchedulingView } from '../../model/scheduling/plan.ts';

/** What the scheduler's steps need from the world. */
export interface SchedulerDeps {
  readonly view: SchedulingView;
  readonly chance: Chance;
  /** By purpose, for decisions about shared clusters. */
  readonly purposeLocks: KeyedMutex<string>;
  /** Undefined when there is none. */
  config(): SchedulerConfig['spec'] | undefined;
  /** Throws `Conflict` when the name is taken. */
  createCluster(cluster: Cluster, signal: AbortSignal): Promise<void>;
  /** Throws `Conflict` when somebody wrote since the cluster was looked at. */
  writeMetadata(cluster: Cluster, metadata: Partial<HoldMetadata>, signal: AbortSignal): Promise<void>;
  /** Throws `Conflict` when somebody wrote since the cluster was looked at. */
  deleteCluster(cluster: Cluster, signal: AbortSignal): Promise<void>;
  /** Makes sure, not from a cache, that a request does not hold the cluster it was given. Throws `Conflict` if it does. */
  confirmLetGo(request: ClusterRequest, signal: AbortSignal): Promise<void>;
  /** Makes sure, not from a cache, that there are no requests of these uids. */
  areGone(requestUids: readonly string[], signal: AbortSignal): Promise<boolean>;
}
