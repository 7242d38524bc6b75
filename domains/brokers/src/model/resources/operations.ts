import type { JsonObject } from '@chandlery/api';
import type { OperationRow } from '../rows.ts';

/** What clients read where there is no time: the zero of their language. */
export const noTime = '0001-01-01T00:00:00Z';

/** An operation as the service manager shows it. */
export function operationView(operation: OperationRow): JsonObject {
  const { transitiveResources = [] } = operation.status;
  if (transitiveResources.length === 0) return lastOperationView(operation);
  const related = transitiveResources.map(({ id, type, operationType }) => ({
    id,
    type,
    operation_type: operationType,
  }));
  return { ...lastOperationView(operation), transitive_resources: related };
}

/** An operation as it is shown beside its resource: without what else it touched. */
export function lastOperationView({ id, spec, status, createdAt, updatedAt }: OperationRow): JsonObject {
  return {
    id,
    ready: true,
    type: spec.type,
    state: status.state ?? 'in progress',
    resource_id: spec.resourceId,
    resource_type: spec.resourceType,
    platform_id: spec.platformId,
    correlation_id: spec.correlationId ?? '',
    reschedule: status.reschedule ?? false,
    reschedule_timestamp: status.rescheduleAt ?? noTime,
    deletion_scheduled: status.deletionScheduledAt ?? noTime,
    created_at: createdAt,
    updated_at: updatedAt,
    ...optionalFields(spec, status),
  };
}

/** In lists and beside resources what is empty is left out. */
function optionalFields(spec: OperationRow['spec'], status: OperationRow['status']): JsonObject {
  const hasLabels = spec.labels !== undefined && Object.keys(spec.labels).length > 0;
  return {
    ...(status.description === undefined ? {} : { description: status.description }),
    ...(status.errors === undefined ? {} : { errors: status.errors as JsonObject }),
    ...(status.retryable === undefined ? {} : { retryable: status.retryable }),
    ...(status.leftovers === undefined ? {} : { leftovers: status.leftovers as JsonObject }),
    ...(spec.parentId === undefined ? {} : { parent_id: spec.parentId }),
    ...(spec.cascadeRootId === undefined ? {} : { cascade_root_id: spec.cascadeRootId }),
    ...(hasLabels ? { labels: spec.labels } : {}),
  };
}
