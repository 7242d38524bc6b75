import type { Registry, Row } from '@chandlery/registry';
import type {
  FleetAuditEntry,
  FleetCluster,
  FleetInstance,
  FleetInstanceRecord,
  FleetProduct,
  FleetRollout,
  FleetUser,
  QuotaGrant,
} from '../kinds/index.ts';

export type ProductRow = Row<FleetProduct>;
export type InstanceRow = Row<FleetInstance>;
export type ClusterRow = Row<FleetCluster>;
export type RecordRow = Row<FleetInstanceRecord>;
export type GrantRow = Row<QuotaGrant>;
export type UserRow = Row<FleetUser>;
export type AuditRow = Row<FleetAuditEntry>;
export type RolloutRow = Row<FleetRollout>;
export type { Registry };
