import type { ClusterConnection } from '../objects/cluster-connection.ts';
import type { OwnerInfo } from '../objects/managed-objects.ts';
import type { Side } from './side.ts';
import type { SyncContext } from './syncer.ts';

/** An owner whose objects are synced. */
export interface Engaged {
  owner: OwnerInfo;
  context: SyncContext;
  mcp: ClusterConnection;
  workload: ClusterConnection;
  readonly mcpSide: Side;
  workloadSide: Side;
  /** Objects are no longer synced. */
  isLeaving: boolean;
  /** Syncs in progress. */
  readonly running: Set<Promise<void>>;
}
