import { concernsBroker } from '../../../../model/operations/broker-requests.ts';
import { checkConcurrency } from '../../../../model/operations/check-concurrency.ts';
import { lastOperationOf } from '../../../../model/operations/last-operation.ts';
import { type InstanceRow, type RegistryWrite, touchRow } from '../../../../model/rows.ts';
import type { SmRequest, SmResponse } from '../../resource-handler.ts';
import type { InstanceDeps } from '../../shared/instance-deps.ts';
import { operationRecord } from '../../shared/operation-record.ts';
import { orderOperation, resourcePaths } from '../../shared/order-operation.ts';
import { respondByMode, respondDone } from '../../shared/respond-by-mode.ts';
import { updateInstanceHere } from '../../shared/update-here.ts';
import { type ChangeContext, catalogPlaceOf, checkChange } from './check-change.ts';
import { type InstanceChange, readInstanceChange } from './read-instance-change.ts';
import { planSharing } from './share-instance.ts';

/** Changes an instance. A broker is called only if it has to know. */
export async function patchInstance(deps: InstanceDeps, row: InstanceRow, request: SmRequest): Promise<SmResponse> {
  const decide = 'shared' in request.body ? share : change;
  const changed = await decide(deps, row, request);
  const done = { type: 'row', id: row.id } as const;
  if (changed === undefined) return done;
  const begun = { operationId: changed.operationId, resourceId: row.id, done };
  return changed.isDone ? respondDone(request, begun) : respondByMode(deps.registry, request, begun);
}

interface Changed {
  readonly operationId: string;
  readonly isDone: boolean;
}

async function share({ registry }: InstanceDeps, row: InstanceRow, request: SmRequest): Promise<Changed | undefined> {
  const write = planSharing(registry, row, request);
  if (write === undefined) return undefined;
  checkConcurrency(lastOperationOf(registry, resourcePaths.instances, row.id), 'update');
  return record({ registry, row, request }, write);
}

async function change(deps: InstanceDeps, row: InstanceRow, request: SmRequest): Promise<Changed> {
  const { registry, settings } = deps;
  const wanted = readInstanceChange(row, request.body, settings);
  const context = { registry, settings, row, place: catalogPlaceOf(registry, row) };
  checkChange(context, wanted, request);
  checkConcurrency(lastOperationOf(registry, resourcePaths.instances, row.id), 'update');
  return needsBroker(context, wanted)
    ? order({ registry, row, request }, wanted)
    : record({ registry, row, request }, localUpdate(row, wanted));
}

function needsBroker(
  { row, place }: ChangeContext,
  { parameters, maintenanceInfo, ...others }: InstanceChange,
): boolean {
  if (row.spec.referencedInstanceId !== undefined) return false;
  if (parameters !== undefined) return true;
  return concernsBroker({ ...others, ...(maintenanceInfo && { maintenanceInfo }) }, place.offering);
}

interface Patch {
  readonly registry: InstanceDeps['registry'];
  readonly row: InstanceRow;
  readonly request: SmRequest;
}

/** The row changes when the broker has agreed. It is written here too, so that of two changes at once only one begins. */
async function order({ registry, row, request }: Patch, wanted: InstanceChange): Promise<Changed> {
  const { parameters, ...change } = wanted;
  const operation = orderOperation(registry, request, {
    type: 'update',
    table: 'instances',
    resourceId: row.id,
    tenant: row.tenant,
    change: change,
    ...(parameters === undefined ? {} : { parameters }),
  });
  await registry.commit([touchRow('instances', row), ...operation.writes]);
  return { operationId: operation.id, isDone: false };
}

async function record({ registry, row, request }: Patch, write: RegistryWrite): Promise<Changed> {
  const { id: resourceId, tenant } = row;
  const subject = { type: 'update', resourceType: resourcePaths.instances, resourceId, tenant } as const;
  const operation = operationRecord(registry, request, subject);
  await registry.commit([write, operation.write]);
  return { operationId: operation.id, isDone: true };
}

function localUpdate(row: InstanceRow, { maintenanceInfo, name, labels, platformId }: InstanceChange): RegistryWrite {
  const { maintenanceInfo: present, ...rest } = row.spec;
  const spec = {
    ...rest,
    ...(present !== undefined && maintenanceInfo !== null && { maintenanceInfo: present }),
    ...(name === undefined ? {} : { name }),
    ...(platformId === undefined ? {} : { platformId }),
    ...(labels === undefined ? {} : { labels }),
  };
  return updateInstanceHere(row, spec);
}
