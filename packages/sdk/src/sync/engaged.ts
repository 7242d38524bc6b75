import type { ClusterConnection } from '../objects/cluster-connection.ts';
import type { OwnerInfo } from '../objects/managed-objects.ts';
import type { Side } from './side.ts';
import type { SyncContext } from './syncer.ts';

/** An owner whose objects are carried. */
export interface Engaged {
  owner: OwnerInfo;
  context: SyncContext;
  mcp: ClusterConnection;
  workload: ClusterConnection;
  readonly mcpSide: Side;
  workloadSide: Side;
  /** Objects are no longer carried. */
  isLeaving: boolean;
  /** Passes under way. */
  readonly passes: Set<Promise<void>>;
}
