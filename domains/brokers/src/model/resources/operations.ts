import type { JsonObject } from '@chandlery/api';
import type { OperationRow } from '../rows.ts';
import { defineResource, type ResourceField, viewOf } from './resource.ts';
import { anyObject, flag, objectSchema, oneOf, text, time } from './schemas.ts';

/** The value of a time that is not set: the zero time of Go, which clients of the Service Manager expect. */
const noTime = '0001-01-01T00:00:00Z';

const operationTypes = oneOf('create', 'update', 'delete');

const timeField = (read: (row: OperationRow) => string | undefined): ResourceField<OperationRow> => ({
  type: 'date',
  read: row => read(row) ?? noTime,
  schema: time,
});

/** Operations. Only their records can be deleted. */
export const operationResource = defineResource<OperationRow>({
  fields: {
    ready: {
      type: 'boolean',
      read: () => true,
      schema: flag,
      query: { read: ({ status }) => status.ready ?? false },
    },
    type: { type: 'string', read: ({ spec }) => spec.type, schema: operationTypes },
    state: {
      type: 'string',
      read: ({ status }) => status.state ?? 'in progress',
      schema: oneOf('pending', 'in progress', 'succeeded', 'failed'),
    },
    resource_id: { type: 'string', read: ({ spec }) => spec.resourceId, schema: text, query: { index: 'resourceId' } },
    resource_type: { type: 'string', read: ({ spec }) => spec.resourceType, schema: text },
    platform_id: { type: 'string', read: ({ spec }) => spec.platformId, schema: text },
    correlation_id: { type: 'string', read: ({ spec }) => spec.correlationId ?? '', schema: text },
    reschedule: { type: 'boolean', read: ({ status }) => status.reschedule ?? false, schema: flag },
    reschedule_timestamp: timeField(({ status }) => status.rescheduleAt),
    deletion_scheduled: timeField(({ status }) => status.deletionScheduledAt),
    description: {
      type: 'string',
      read: ({ status }) => status.description,
      schema: text,
      query: { read: ({ status }) => status.description ?? '' },
    },
    errors: { type: 'json', read: ({ status }) => status.errors, schema: anyObject, query: false },
    retryable: { type: 'boolean', read: ({ status }) => status.retryable, schema: flag, query: false },
    leftovers: { type: 'json', read: ({ status }) => status.leftovers, query: false },
    parent_id: { type: 'string', read: ({ spec }) => spec.parentId, schema: text, query: { index: 'parentId' } },
    cascade_root_id: {
      type: 'string',
      read: ({ spec }) => spec.cascadeRootId,
      schema: text,
      query: { index: 'cascadeRootId' },
    },
  },
  extraSchemas: {
    transitive_resources: {
      type: 'array',
      items: objectSchema({ id: text, type: text, operation_type: operationTypes }),
    },
  },
});

/** An operation as it is shown inside its resource: without the other rows that it changed. */
export const lastOperationView = viewOf(operationResource);

/** An operation as the REST API shows it. */
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
