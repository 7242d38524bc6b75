import { checkConcurrency } from '../../../../model/operations/check-concurrency.ts';
import { lastOperationOf } from '../../../../model/operations/last-operation.ts';
import { type BindingRow, type Registry, touchRow } from '../../../../model/rows.ts';
import type { SmRequest, SmResponse } from '../../resource-handler.ts';
import type { InstanceDeps } from '../../shared/instance-deps.ts';
import { orderOperation, resourcePaths } from '../../shared/order-operation.ts';
import { respondByMode } from '../../shared/respond-by-mode.ts';
import { checkMayRemove } from '../instances/remove-instance.ts';

/** Deletes a binding. */
export async function removeBinding(
  { registry }: InstanceDeps,
  row: BindingRow,
  request: SmRequest,
): Promise<SmResponse> {
  checkMayRemove(registry.instances.get(row.spec.instanceId), request);
  const operationId = await commitRemoval(registry, row, request);
  return respondByMode(registry, request, { operationId, resourceId: row.id, done: { type: 'document', body: {} } });
}

async function commitRemoval(registry: Registry, row: BindingRow, request: SmRequest): Promise<string> {
  checkConcurrency(lastOperationOf(registry, resourcePaths.bindings, row.id), 'delete');
  const order = { type: 'delete', table: 'bindings', resourceId: row.id, tenant: row.tenant } as const;
  const operation = orderOperation(registry, request, order);
  await registry.commit([touchRow('bindings', row), ...operation.writes]);
  return operation.id;
}
