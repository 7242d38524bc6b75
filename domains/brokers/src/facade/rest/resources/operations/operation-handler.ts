import { notFound, smError } from '../../../../errors.ts';
import { isEmbedded } from '../../../../model/operations/operation-state.ts';
import { operationResource, operationView } from '../../../../model/resources/operations.ts';
import { queryFieldsOf } from '../../../../model/resources/resource.ts';
import { type OperationRow, type Registry, type RegistryWrite, removeRow, updateRow } from '../../../../model/rows.ts';
import { type EmbeddingTable, embeddingTableOf } from '../../../../registry/embedded-operation.ts';
import type { HandlerDeps, SmResponse } from '../../resource-handler.ts';
import type { RestHandler } from '../../routes/any-handler.ts';

/** Operations: records of what was done, or is being done. They have no operations themselves. */
export function createOperationHandler(deps: HandlerDeps): RestHandler<'operations'> {
  return {
    table: 'operations',
    path: '/v1/operations',
    noun: 'operation',
    plural: 'operations',
    isAsync: false,
    hasBulkDelete: false,
    hasCascade: false,
    fields: queryFieldsOf(operationResource),
    view: operationView,
    remove: row => removeOperation(deps, row),
  };
}

/** Removes a record. One that is still worked on is what the work is known by, so it stays. */
async function removeOperation({ registry }: HandlerDeps, row: OperationRow): Promise<SmResponse> {
  const { state, deletionScheduledAt } = row.status;
  if (state === 'pending' || state === 'in progress' || deletionScheduledAt !== undefined)
    throw smError('OperationInProgress', 'the operation has not ended yet; its record is still needed');
  await registry.commit([isEmbedded(row) ? forgetCreation(registry, row) : removeRow('operations', row)]);
  return { type: 'document', body: {} };
}

/** The record of a creation that was over at once is part of what it made. */
function forgetCreation(registry: Registry, operation: OperationRow): RegistryWrite {
  const table = embeddingTableOf(operation);
  const row = registry[table].get(operation.spec.resourceId);
  if (row === undefined) throw notFound('operation');
  const { creation: _creation, ...status } = row.status;
  return updateRow<EmbeddingTable>({ table, row, status });
}
