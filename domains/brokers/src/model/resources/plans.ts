import type { PlanRow } from '../rows.ts';
import { defineResource, type Viewed, viewOf } from './resource.ts';
import { anyObject, flag, integer, text } from './schemas.ts';

/** Plans, as the catalog of their broker describes them. Only their labels can be changed. */
export const planResource = defineResource<Viewed<PlanRow>>({
  accepts: { patch: true },
  fields: {
    name: { type: 'string', read: ({ spec }) => spec.name, schema: text, query: { index: 'name' } },
    description: { type: 'string', read: ({ spec }) => spec.description ?? '', schema: text },
    catalog_id: { type: 'string', read: ({ spec }) => spec.catalogId, schema: text, query: { index: 'catalogId' } },
    catalog_name: { type: 'string', read: ({ spec }) => spec.catalogName, schema: text },
    service_offering_id: {
      type: 'string',
      read: ({ spec }) => spec.offeringId,
      schema: text,
      query: { index: 'offeringId' },
    },
    free: { type: 'boolean', read: ({ spec }) => spec.free ?? true, schema: flag },
    bindable: { type: 'boolean', read: ({ spec }) => spec.bindable, schema: flag },
    plan_updateable: { type: 'boolean', read: ({ spec }) => spec.planUpdateable, schema: flag },
    binding_rotatable: {
      type: 'boolean',
      read: ({ spec }) => spec.bindingRotatable,
      query: { read: ({ spec }) => spec.bindingRotatable ?? false },
    },
    metadata: { type: 'json', read: ({ spec }) => spec.metadata, schema: anyObject },
    schemas: { type: 'json', read: ({ spec }) => spec.schemas, schema: anyObject },
    maximum_polling_duration: {
      type: 'number',
      read: ({ spec }) => spec.maximumPollingDuration,
      schema: integer,
      query: { read: ({ spec }) => spec.maximumPollingDuration ?? 0 },
    },
    maintenance_info: { type: 'json', read: ({ spec }) => spec.maintenanceInfo, schema: anyObject },
  },
});

/** A plan as the REST API shows it. Fields that it inherits from its offering are left out. */
export const planView = viewOf(planResource);
