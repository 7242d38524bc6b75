import { searchedContext } from '../query/searched-context.ts';
import type { InstanceRow } from '../rows.ts';
import { platformOf } from '../sharing/owner.ts';
import { defineResource, nameField, viewOf } from './resource.ts';
import { anyObject, flag, text } from './schemas.ts';

/** Service instances. The handlers read request bodies, because most changes concern the broker. */
export const instanceResource = defineResource<InstanceRow>({
  accepts: { create: 'without-id', patch: true },
  inputOnly: {
    parameters: { schema: anyObject, input: {} },
    service_offering_name: { schema: text, input: { in: 'create' } },
    service_plan_name: { schema: text, input: { in: 'create' } },
  },
  fields: {
    name: nameField({ isRequired: true }),
    service_plan_id: {
      type: 'string',
      read: ({ spec }) => spec.planId ?? '',
      schema: text,
      query: { index: 'planId', read: ({ spec }) => spec.planId },
      input: {},
    },
    platform_id: {
      type: 'string',
      read: platformOf,
      schema: text,
      query: { index: 'platformId' },
      input: { in: 'patch' },
    },
    usable: { type: 'boolean', read: ({ status }) => status.usable ?? false, schema: flag },
    shared: { type: 'boolean', read: ({ spec }) => spec.shared, schema: flag, input: { in: 'patch' } },
    referenced_instance_id: {
      type: 'string',
      read: ({ spec }) => spec.referencedInstanceId,
      schema: text,
      query: { index: 'referencedInstanceId' },
    },
    dashboard_url: { type: 'string', read: ({ status }) => status.dashboardUrl, schema: text },
    maintenance_info: {
      type: 'json',
      read: ({ spec }) => spec.maintenanceInfo ?? undefined,
      schema: anyObject,
      input: {},
    },
    context: {
      type: 'json',
      read: ({ status }) => status.context,
      schema: anyObject,
      query: { read: searchedContext },
    },
    metadata: { type: 'json', read: ({ status }) => status.metadata, query: false },
  },
});

/** A service instance as the REST API shows it. */
export const instanceView = viewOf(instanceResource);
