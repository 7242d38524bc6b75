import { smError } from '../../../../errors.ts';
import { checkConcurrency } from '../../../../model/operations/check-concurrency.ts';
import { lastOperationOf } from '../../../../model/operations/last-operation.ts';
import { type InstanceRow, type Registry, removeRow, touchRow } from '../../../../model/rows.ts';
import { isOperatedHere } from '../../../../model/sharing/owner.ts';
import { countBindings } from '../../../../model/sharing/rows-of-instance.ts';
import type { SmRequest, SmResponse } from '../../resource-handler.ts';
import type { InstanceDeps } from '../../shared/instance-deps.ts';
import { operationRecord } from '../../shared/operation-record.ts';
import { orderOperation, resourcePaths } from '../../shared/order-operation.ts';
import { respondByMode, respondDone } from '../../shared/respond-by-mode.ts';
import { checkUnreferenced } from './share-instance.ts';

/** Deletes an instance that nothing hangs on. */
export async function removeInstance(
  { registry }: InstanceDeps,
  row: InstanceRow,
  request: SmRequest,
): Promise<SmResponse> {
  const removed = await commitRemoval(registry, row, request);
  const begun = { operationId: removed.operationId, resourceId: row.id, done: { type: 'document', body: {} } } as const;
  return removed.isDone ? respondDone(request, begun) : respondByMode(registry, request, begun);
}

/** Throws `Forbidden` unless the caller may end what a platform has made: that is the operator's alone. */
export function checkMayRemove(instance: InstanceRow | undefined, { caller }: SmRequest): void {
  if (caller.type === 'operator' || instance === undefined || isOperatedHere(instance)) return;
  throw smError('Forbidden', `only the operator may delete what belongs to platform ${instance.spec.platformId}`);
}

async function commitRemoval(registry: Registry, row: InstanceRow, request: SmRequest) {
  checkMayRemove(row, request);
  checkConcurrency(lastOperationOf(registry, resourcePaths.instances, row.id), 'delete');
  checkUnbound(registry, row);
  checkUnreferenced(registry, row, 'it cannot be deleted');
  const order = { type: 'delete', resourceId: row.id, tenant: row.tenant } as const;
  if (row.spec.referencedInstanceId !== undefined) {
    // A reference is only a row; everything else has a broker to be asked.
    const record = operationRecord(registry, request, { ...order, resourceType: resourcePaths.instances });
    await registry.commit([removeRow('instances', row), record.write]);
    return { operationId: record.id, isDone: true };
  }
  const operation = orderOperation(registry, request, { ...order, table: 'instances' });
  await registry.commit([touchRow('instances', row), ...operation.writes]);
  return { operationId: operation.id, isDone: false };
}

function checkUnbound(registry: Registry, row: InstanceRow): void {
  const count = countBindings(registry, row);
  if (count > 0) throw smError('BadRequest', `could not delete instance due to ${count} existing bindings`);
}
