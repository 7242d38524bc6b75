import type * as registry from '@chandlery/registry';
import { type Row, rowWriters } from '@chandlery/registry';
import type {
  BrokerPlatformCredential,
  brokerKinds,
  Notification,
  Operation,
  Platform,
  RemovedPlatform,
  ServiceBinding,
  ServiceBroker,
  ServiceInstance,
  ServiceOffering,
  ServicePlan,
  Visibility,
} from '../kinds/index.ts';

export type { PutSecret, Row, RowChange, TablePage } from '@chandlery/registry';

/** Which table. */
export type TableName = keyof typeof brokerKinds;

export type PlatformRow = Row<Platform>;
export type BrokerRow = Row<ServiceBroker>;
export type OfferingRow = Row<ServiceOffering>;
export type PlanRow = Row<ServicePlan>;
export type VisibilityRow = Row<Visibility>;
export type InstanceRow = Row<ServiceInstance>;
export type BindingRow = Row<ServiceBinding>;
export type OperationRow = Row<Operation>;
export type CredentialRow = Row<BrokerPlatformCredential>;
export type NotificationRow = Row<Notification>;
export type RemovedPlatformRow = Row<RemovedPlatform>;

/** The row of each table. */
export interface RowOf {
  platforms: PlatformRow;
  brokers: BrokerRow;
  offerings: OfferingRow;
  plans: PlanRow;
  visibilities: VisibilityRow;
  instances: InstanceRow;
  bindings: BindingRow;
  operations: OperationRow;
  credentials: CredentialRow;
  notifications: NotificationRow;
  removedPlatforms: RemovedPlatformRow;
}

/** The fields by which rows of a table are found without looking at others. `name` is `spec.name`, or else the id. */
export interface IndexesOf {
  platforms: 'name' | 'username';
  /** `internal` of a broker with a URL is the empty string; `origin` is `landscape` or `registered`. */
  brokers: 'name' | 'internal' | 'origin';
  offerings: 'brokerId' | 'name' | 'catalogId';
  plans: 'brokerId' | 'offeringId' | 'catalogId' | 'name';
  /** `platformId` of a visibility for every platform is the empty string; `origin` as of brokers. */
  visibilities: 'platformId' | 'planId' | 'origin';
  /**
   * `platformId` is never empty here. `reference` is for `referencesOf`: `referencedInstanceId` is unchecked user
   * input.
   */
  instances: 'platformId' | 'planId' | 'name' | 'referencedInstanceId' | 'reference';
  /** `instance` is for `bindingsOf`: `instanceId` is unchecked user input. */
  bindings: 'instanceId' | 'instance' | 'name';
  /** `open` has `pending` and `in progress`, and `mitigation` while a deletion is scheduled; ended ones are not in it. */
  operations: 'resourceId' | 'cascadeRootId' | 'parentId' | 'open' | 'idempotencyKey';
  credentials: 'platformId' | 'brokerId' | 'username';
  notifications: never;
  removedPlatforms: 'username';
}

/** Indexes that every table has. `label` has `key=value` for each value and `key` alone for each key (`labelTerm` makes both). */
type CommonIndex = 'tenant' | 'label';

/** All rows of a kind, in memory, in the order of their creation. Reads see what the same process has committed. */
export type Table<R, Index extends string = never> = registry.Table<R, Index | CommonIndex>;

/** The index names of each table, with those that all have. */
export type AllIndexesOf = { [T in TableName]: IndexesOf[T] | CommonIndex };

/** A write to one table, whichever. */
export type RowWrite = registry.RowWrite<RowOf>;

/** One part of a commit. Each row at most once. */
export type RegistryWrite = registry.RegistryWrite<RowOf>;

/** Everything that the service manager knows, and the one way to change it. */
export interface Registry extends registry.TablesOf<RowOf, AllIndexesOf>, registry.RegistryCore<RowOf> {}

export const { createRow, updateRow, removeRow, checkRow } = rowWriters<RowOf>();

/** Writes a row unchanged: of two commits that touch the same revision of a row, only one succeeds. */
export function touchRow<T extends TableName>(table: T, row: RowOf[T]): RegistryWrite {
  return updateRow<T>({ table, row, status: row.status });
}
