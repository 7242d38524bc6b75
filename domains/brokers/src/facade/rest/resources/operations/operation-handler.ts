import { notFound, smError } from '../../../../errors.ts';
import { noTime, operationView } from '../../../../model/resources/operations.ts';
import { type OperationRow, type Registry, type RegistryWrite, removeRow, updateRow } from '../../../../model/rows.ts';
import { type EmbeddingTable, embeddingTableOf, isEmbedded } from '../../../../registry/embedded-operation.ts';
import type { HandlerDeps, QueryField, SmResponse } from '../../resource-handler.ts';
import type { RestHandler } from '../../routes/any-handler.ts';
import { commonFields, flagField, textField } from '../../shared/common-fields.ts';

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
    fields: operationFields,
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

const operationFields: Readonly<Record<string, QueryField<OperationRow>>> = {
  ...commonFields,
  type: textField(({ spec }) => spec.type),
  state: textField(({ status }) => status.state ?? 'in progress'),
  resource_id: textField(({ spec }) => spec.resourceId, 'resourceId'),
  resource_type: textField(({ spec }) => spec.resourceType),
  platform_id: textField(({ spec }) => spec.platformId),
  correlation_id: textField(({ spec }) => spec.correlationId ?? ''),
  description: textField(({ status }) => status.description ?? ''),
  parent_id: textField(({ spec }) => spec.parentId, 'parentId'),
  cascade_root_id: textField(({ spec }) => spec.cascadeRootId, 'cascadeRootId'),
  reschedule: flagField(({ status }) => status.reschedule ?? false),
  reschedule_timestamp: { type: 'date', read: ({ status }) => status.rescheduleAt ?? noTime },
  deletion_scheduled: { type: 'date', read: ({ status }) => status.deletionScheduledAt ?? noTime },
};
