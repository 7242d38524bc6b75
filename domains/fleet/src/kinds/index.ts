/**
 * The kinds of the fleet manager.
 *
 * They are declared to the kernel (`fleetKinds`) and live in the logical cluster {@link fleetCluster}.
 */
import { fleetAuditEntries } from './fleet-audit-entry.ts';
import { fleetClusters } from './fleet-cluster.ts';
import { fleetInstances } from './fleet-instance.ts';
import { fleetInstanceRecords } from './fleet-instance-record.ts';
import { fleetProducts } from './fleet-product.ts';
import { fleetRollouts } from './fleet-rollout.ts';
import { fleetUsers } from './fleet-user.ts';
import { quotaGrants } from './quota-grant.ts';

export {
  fleetCluster,
  fleetClusterLabel,
  fleetFinalizer,
  fleetGroup,
  fleetManagedLabel,
  fleetNamespace,
} from './common.ts';
export { type FleetAuditEntry } from './fleet-audit-entry.ts';
export { type ClusterState, clusterStates, type FleetCluster, fleetClusterName } from './fleet-cluster.ts';
export { type FleetInstance, type InstanceState, instanceStates } from './fleet-instance.ts';
export { type FleetInstanceRecord } from './fleet-instance-record.ts';
export { type FleetProduct } from './fleet-product.ts';
export { type FleetRollout, type RolloutPhase } from './fleet-rollout.ts';
export { type FleetUser } from './fleet-user.ts';
export { type QuotaGrant } from './quota-grant.ts';

/** All kinds of the domain, by the names of the registry's tables. */
export const fleetKinds = {
  products: fleetProducts,
  instances: fleetInstances,
  clusters: fleetClusters,
  records: fleetInstanceRecords,
  grants: quotaGrants,
  users: fleetUsers,
  auditEntries: fleetAuditEntries,
  rollouts: fleetRollouts,
} as const;
