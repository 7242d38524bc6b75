import type { KeyedMutex } from '@chandlery/platform';
import type { Cluster } from '../../kinds/cluster.ts';
import type { ClusterRequest } from '../../kinds/cluster-request.ts';
import type { SchedulerConfig } from '../../kinds/scheduler-config.ts';
import type { Chance, HoldMetadata, SchedulingView } from '../../model/scheduling/plan.ts';

/** The dependencies of the scheduler's steps. */
export interface SchedulerDeps {
  readonly view: SchedulingView;
  readonly chance: Chance;
  /** By purpose, for decisions about shared clusters. */
  readonly purposeLocks: KeyedMutex<string>;
  /** Undefined when there is none. */
  config(): SchedulerConfig['spec'] | undefined;
  /** Throws `Conflict` when the name is taken. */
  createCluster(cluster: Cluster, signal: AbortSignal): Promise<void>;
  /** Throws `Conflict` when the cluster was written since it was read. */
  writeMetadata(cluster: Cluster, metadata: Partial<HoldMetadata>, signal: AbortSignal): Promise<void>;
  /** Throws `Conflict` when the cluster was written since it was read. */
  deleteCluster(cluster: Cluster, signal: AbortSignal): Promise<void>;
  /** Verifies live that a request does not hold its cluster. Throws `Conflict` if it does. */
  confirmLetGo(request: ClusterRequest, signal: AbortSignal): Promise<void>;
  /** Verifies live that there are no requests with these uids. */
  areGone(requestUids: readonly string[], signal: AbortSignal): Promise<boolean>;
}
