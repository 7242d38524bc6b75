import type { OperationRow, RegistryWrite, RowWrite, TableName } from '../model/rows.ts';

/** More are not kept: the operation of a broker with thousands of plans would outweigh the broker. */
export const maxTransitiveResources = 500;

/** What clients call the resources of a table. Operations are not resources of an operation. */
const pathOf: Readonly<Partial<Record<TableName, string>>> = {
  platforms: '/v1/platforms',
  brokers: '/v1/service_brokers',
  offerings: '/v1/service_offerings',
  plans: '/v1/service_plans',
  visibilities: '/v1/visibilities',
  instances: '/v1/service_instances',
  bindings: '/v1/service_bindings',
  credentials: '/v1/credentials',
  notifications: '/v1/notifications',
};

type TransitiveResource = NonNullable<OperationRow['status']['transitiveResources']>[number];
type OperationWrite = Extract<RowWrite, { readonly table: 'operations'; readonly type: 'create' | 'update' }>;

const typeOfWrite = { create: 'create', update: 'update', remove: 'delete' } as const;

/** The writes of a commit, with the operation that they belong to recording what it touches besides its own resource. */
export function withTransitiveResources(writes: readonly RegistryWrite[]): readonly RegistryWrite[] {
  const operation = writes.length < 2 ? undefined : operationIn(writes);
  if (operation === undefined) return writes;
  const touched = writes.flatMap(write => touchedBy(write, specOf(operation)));
  return touched.length === 0 ? writes : writes.map(write => (write === operation ? recording(write, touched) : write));
}

/** The operation of a commit: the one that it creates, or else the one that it updates. */
function operationIn(writes: readonly RegistryWrite[]): OperationWrite | undefined {
  const operations = writes.filter(isOperationWrite);
  const created = operations.filter(({ type }) => type === 'create');
  const [operation, ...others] = created.length > 0 ? created : operations;
  return others.length === 0 ? operation : undefined;
}

const isOperationWrite = (write: RegistryWrite): write is OperationWrite =>
  'table' in write && write.table === 'operations' && (write.type === 'create' || write.type === 'update');

const specOf = (write: OperationWrite): OperationRow['spec'] =>
  write.type === 'create' ? write.spec : (write.spec ?? write.row.spec);

function touchedBy(write: RegistryWrite, { resourceId, resourceType }: OperationRow['spec']): TransitiveResource[] {
  if (!('table' in write) || write.type === 'check' || changesNothing(write)) return [];
  const type = pathOf[write.table];
  const id = write.type === 'create' ? write.id : write.row.id;
  if (type === undefined || (id === resourceId && type === resourceType)) return [];
  return [{ id, type, operationType: typeOfWrite[write.type] }];
}

/** Rows are also written as they are, to be the precondition of another commit. */
const changesNothing = (write: RowWrite): boolean =>
  write.type === 'update' && write.spec === undefined && write.status === write.row.status;

function recording(write: OperationWrite, touched: readonly TransitiveResource[]): OperationWrite {
  const status = (write.type === 'create' ? write.status : (write.status ?? write.row.status)) ?? {};
  const all = new Map<string, TransitiveResource>();
  for (const resource of [...(status.transitiveResources ?? []), ...touched])
    all.set(`${resource.operationType} ${resource.type} ${resource.id}`, resource);
  return { ...write, status: { ...status, transitiveResources: [...all.values()].slice(0, maxTransitiveResources) } };
}
