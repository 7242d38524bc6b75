import { touchRow } from '../../../model/cascade/touch-row.ts';
import { checkConcurrency } from '../../../model/concurrency/check-concurrency.ts';
import { lastOperationOf } from '../../../registry/last-operation.ts';
import type { BindingRow, Registry } from '../../../registry/registry.ts';
import { answerByMode } from '../instances/answer-by-mode.ts';
import type { InstanceNeeds } from '../instances/handler-needs.ts';
import { orderOperation, resourcePaths } from '../instances/order-operation.ts';
import { checkMayRemove } from '../instances/remove-instance.ts';
import type { SmAnswer, SmRequest } from '../resource-handler.ts';

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
