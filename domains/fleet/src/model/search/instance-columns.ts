import type { FleetInstance } from '../../kinds/index.ts';

/** What columns read of an instance. */
export interface InstanceFields {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly spec: Readonly<FleetInstance['spec']>;
  readonly status: Readonly<NonNullable<FleetInstance['status']>>;
}

/** A column of lists of instances: where its value is found and what it may be used for. */
export interface InstanceColumn {
  /** Texts compare by code units. */
  readonly value: (row: InstanceFields) => string;
  readonly isSearchable: boolean;
}

const sortable = (value: InstanceColumn['value']): InstanceColumn => ({ value, isSearchable: false });
const searchable = (value: InstanceColumn['value']): InstanceColumn => ({ value, isSearchable: true });

/** The name of an instance in its organisation. */
export const instanceName = ({ id, spec }: Pick<InstanceFields, 'id' | 'spec'>): string => spec.name ?? id;

/** The state of an instance; one that is not admitted yet counts as accepted. */
export const instanceState = ({ status }: Pick<InstanceFields, 'status'>) => status.state ?? 'accepted';

/**
 * The columns of lists of instances by their names in REST. `orderBy`, `search` and the OpenAPI document go by this
 * table. `href` sorts as the id does, of which it is made.
 */
export const instanceColumns: ReadonlyMap<string, InstanceColumn> = new Map<string, InstanceColumn>([
  ['host', sortable(({ status }) => status.host ?? '')],
  ['cloud_provider', searchable(({ spec }) => spec.cloudProvider ?? '')],
  ['cluster_id', searchable(({ status }) => status.clusterId ?? '')],
  ['created_at', sortable(({ createdAt }) => createdAt)],
  ['href', sortable(({ id }) => id)],
  ['id', sortable(({ id }) => id)],
  ['instance_type', searchable(({ status }) => status.instanceType ?? '')],
  ['multi_az', sortable(({ spec }) => String(spec.multiAz ?? false))],
  ['name', searchable(instanceName)],
  ['organisation_id', sortable(({ spec }) => spec.organisation)],
  ['owner', searchable(({ spec }) => spec.owner)],
  ['region', searchable(({ spec }) => spec.region ?? '')],
  ['status', searchable(instanceState)],
  ['updated_at', sortable(({ updatedAt }) => updatedAt)],
  ['version', sortable(({ status }) => status.actual?.product ?? '')],
]);

/** The columns that a search may name. */
export const searchColumns: ReadonlySet<string> = new Set(
  [...instanceColumns].filter(([, { isSearchable }]) => isSearchable).map(([name]) => name),
);
