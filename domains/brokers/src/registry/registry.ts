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

/** Which table. */
export type TableName = keyof typeof brokerKinds;

/** A resource as the domain sees it: frozen, shared, never changed in place. */
export interface Row<Object extends { spec: unknown; status?: unknown }> {
  readonly id: string;
  /** The namespace. */
  readonly tenant: string;
  /** Empty for an operation without an object of its own: see `embedded-operation.ts`. */
  readonly uid: string;
  /** The resourceVersion, as a number: rises with every change anywhere. */
  readonly revision: number;
  readonly generation: number;
  /** RFC 3339 with microseconds; the order of lists, together with the id. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Somebody has deleted it (by kubectl); its end is due. */
  readonly isDeleting: boolean;
  readonly hasFinalizer: boolean;
  readonly spec: Readonly<Object['spec']>;
  readonly status: Readonly<NonNullable<Object['status']>>;
}

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
  brokers: 'name';
  offerings: 'brokerId' | 'name' | 'catalogId';
  plans: 'brokerId' | 'offeringId' | 'catalogId' | 'name';
  /** `platformId` of a visibility for every platform is the empty string. */
  visibilities: 'platformId' | 'planId';
  /** `platformId` is never empty here. `reference` is for `referencesOf`: `referencedInstanceId` says what anybody wrote. */
  instances: 'platformId' | 'planId' | 'name' | 'referencedInstanceId' | 'reference';
  /** `instance` is for `bindingsOf`: `instanceId` says what anybody wrote. */
  bindings: 'instanceId' | 'instance' | 'name';
  /** `open` has `pending` and `in progress`, and `mitigation` while a deletion is scheduled; ended ones are not in it. */
  operations: 'resourceId' | 'cascadeRootId' | 'parentId' | 'open' | 'idempotencyKey';
  credentials: 'platformId' | 'brokerId' | 'username';
  notifications: never;
  removedPlatforms: 'username';
}

/** What happened to a row. */
export interface RowChange<R> {
  readonly type: 'added' | 'changed' | 'removed';
  readonly row: R;
  /** Undefined for `added`. */
  readonly previous?: R;
}

/** A question to a table. */
export interface TableQuery<R, Index extends string> {
  /** Only rows that an index has under one of the values. Several indexes: all must hold. Default: all rows. */
  readonly where?: readonly { readonly index: Index | 'tenant' | 'label'; readonly values: readonly string[] }[];
  /** What else must hold. Default: nothing. */
  readonly filter?: (row: R) => boolean;
  /** Strictly after this row's place. Default: from the first. */
  readonly after?: { readonly createdAt: string; readonly id: string };
  /** Default: all. */
  readonly limit?: number;
}

/** A page of rows. */
export interface TablePage<R> {
  readonly rows: readonly R[];
  /** How many rows match, whatever the page. */
  readonly total: number;
  /** Whether rows after the last one match. */
  readonly more: boolean;
}

/**
 * All rows of a kind, in memory, in the order of their creation. Reads see what the same process has committed.
 *
 * The index `label` has `key=value` for each value and `key` alone for each key (`labelTerm` makes both).
 */
export interface Table<R, Index extends string = never> {
  readonly size: number;
  get(id: string): R | undefined;
  /** Rows under a value of an index, in no particular order. Cheap; do not change the table while iterating. */
  by(index: Index | 'tenant' | 'label', value: string): Iterable<R>;
  /** How many of them. */
  count(index: Index | 'tenant' | 'label', value: string): number;
  /** All rows in order. */
  all(): Iterable<R>;
  /** A page in order. Costs what the narrowest index has, not what the table has. */
  query(query: TableQuery<R, Index>): TablePage<R>;
  /** Hears of every change from now on, after the table shows it. Must return quickly and not throw. Returns how to stop it. */
  listen(listener: (change: RowChange<R>) => void): () => void;
  /** Resolves with the first state of a row for which the test is true (undefined: the row is gone). Rejects with the signal's reason. */
  until(id: string, test: (row: R | undefined) => boolean, signal: AbortSignal): Promise<R | undefined>;
}

type SpecOf<T extends TableName> = RowOf[T]['spec'];
type StatusOf<T extends TableName> = RowOf[T]['status'];

/** A new row. `ready` and times: the status given, with times set by the registry. */
export interface CreateRow<T extends TableName = TableName> {
  readonly type: 'create';
  readonly table: T;
  readonly id: string;
  readonly tenant: string;
  readonly spec: SpecOf<T>;
  /** Default empty. */
  readonly status?: StatusOf<T>;
}

/** Another content for a row that is still as it was read. What is not given stays. `updatedAt` is set by the registry. */
export interface UpdateRow<T extends TableName = TableName> {
  readonly type: 'update';
  readonly table: T;
  readonly row: RowOf[T];
  readonly spec?: SpecOf<T>;
  readonly status?: StatusOf<T>;
}

/** The end of a row that is still as it was read. */
export interface RemoveRow<T extends TableName = TableName> {
  readonly type: 'remove';
  readonly table: T;
  readonly row: RowOf[T];
}

/** The commit happens only if the row is still as it was read. */
export interface CheckRow<T extends TableName = TableName> {
  readonly type: 'check';
  readonly table: T;
  readonly row: RowOf[T];
}

/** A Secret, made or replaced; sealed at rest. */
export interface PutSecret {
  readonly type: 'put-secret';
  readonly tenant: string;
  readonly name: string;
  readonly data: Readonly<Record<string, string>>;
}

/** The end of a Secret, if it is there. */
export interface RemoveSecret {
  readonly type: 'remove-secret';
  readonly tenant: string;
  readonly name: string;
}

/** A write to one table, whichever. Use {@link createRow} and its sisters, which keep table and row together. */
export type RowWrite = { [T in TableName]: CreateRow<T> | UpdateRow<T> | RemoveRow<T> | CheckRow<T> }[TableName];

/** One part of a commit. Each row at most once. */
export type RegistryWrite = RowWrite | PutSecret | RemoveSecret;

/** Everything that the service manager knows, and the one way to change it. */
export interface Registry extends AsyncDisposable {
  readonly platforms: Table<PlatformRow, IndexesOf['platforms']>;
  readonly brokers: Table<BrokerRow, IndexesOf['brokers']>;
  readonly offerings: Table<OfferingRow, IndexesOf['offerings']>;
  readonly plans: Table<PlanRow, IndexesOf['plans']>;
  readonly visibilities: Table<VisibilityRow, IndexesOf['visibilities']>;
  readonly instances: Table<InstanceRow, IndexesOf['instances']>;
  readonly bindings: Table<BindingRow, IndexesOf['bindings']>;
  readonly operations: Table<OperationRow, IndexesOf['operations']>;
  readonly credentials: Table<CredentialRow, IndexesOf['credentials']>;
  readonly notifications: Table<NotificationRow, IndexesOf['notifications']>;
  readonly removedPlatforms: Table<RemovedPlatformRow, IndexesOf['removedPlatforms']>;
  /** Resolves when all tables are filled. Nobody may be answered before. */
  readonly synced: Promise<void>;
  /**
   * Commits all or nothing, durably; the tables show it when this resolves. Rejects with `Conflict` when a row has
   * changed since it was read (read again and decide again), `AlreadyExists` for an id that is taken,
   * `UniqueViolation` with the unique key's name in `details.kind`.
   */
  commit(writes: readonly RegistryWrite[]): Promise<void>;
  /** What a Secret of a tenant holds; undefined when there is none. */
  readSecret(tenant: string, name: string): Promise<Readonly<Record<string, string>> | undefined>;
  /** A new random id. */
  newId(): string;
  /** Now, with microseconds, later than anything it said before. */
  now(): string;
}

/** A {@link CreateRow} of its table. */
export const createRow = <T extends TableName>(write: Omit<CreateRow<T>, 'type'>): RowWrite =>
  ({ type: 'create', ...write }) as unknown as RowWrite;

/** An {@link UpdateRow} of its table. */
export const updateRow = <T extends TableName>(write: Omit<UpdateRow<T>, 'type'>): RowWrite =>
  ({ type: 'update', ...write }) as unknown as RowWrite;

/** A {@link RemoveRow} of its table. */
export const removeRow = <T extends TableName>(table: T, row: RowOf[T]): RowWrite =>
  ({ type: 'remove', table, row }) as unknown as RowWrite;

/** A {@link CheckRow} of its table. */
export const checkRow = <T extends TableName>(table: T, row: RowOf[T]): RowWrite =>
  ({ type: 'check', table, row }) as unknown as RowWrite;
