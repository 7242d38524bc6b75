import { checkConcurrency } from '../../../../model/operations/check-concurrency.ts';
import { lastOperationOf } from '../../../../model/operations/last-operation.ts';
import { touchRow } from '../../../../model/operations/touch-row.ts';
import type { BindingRow, Registry } from '../../../../model/rows.ts';
import type { SmAnswer, SmRequest } from '../../resource-handler.ts';
import type { InstanceNeeds } from '../../shared/instance-deps.ts';
import { orderOperation, resourcePaths } from '../../shared/order-operation.ts';
import { answerByMode } from '../../shared/respond-by-mode.ts';
import { checkMayRemove } from '../instances/remove-instance.ts';

/** Deletes a binding. */
export async function removeBinding(
  { registry }: InstanceNeeds,
  row: BindingRow,
  request: SmRequest,
): Promise<SmAnswer> {
  checkMayRemove(registry.instances.get(row.spec.instanceId), request);
  const operationId = await commitRemoval(registry, row, request);
  return answerByMode(registry, request, { operationId, resourceId: row.id, done: { type: 'document', body: {} } });
}

async function commitRemoval(registry: Registry, row: BindingRow, request: SmRequest): Promise<string> {
  checkConcurrency(lastOperationOf(registry, resourcePaths.bindings, row.id), 'delete');
  const order = { type: 'delete', table: 'bindings', resourceId: row.id, tenant: row.tenant } as const;
  const operation = orderOperation(registry, request, order);
  await registry.commit([touchRow('bindings', row), ...operation.writes]);
  return operation.id;
}
