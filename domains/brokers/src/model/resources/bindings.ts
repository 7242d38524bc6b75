import { searchedContext } from '../query/searched-context.ts';
import type { BindingRow } from '../rows.ts';
import { defineResource, nameField, viewOf } from './resource.ts';
import { anyObject, list, text } from './schemas.ts';

/** Service bindings. Their credentials are shown one binding at a time, by the handler. */
export const bindingResource = defineResource<BindingRow>({
  accepts: { create: 'without-id', patch: true },
  extraSchemas: { credentials: anyObject },
  inputOnly: { parameters: { schema: anyObject, input: { in: 'create' } } },
  fields: {
    name: nameField({ isRequired: true }),
    service_instance_id: {
      type: 'string',
      read: ({ spec }) => spec.instanceId,
      schema: text,
      query: { index: 'instanceId' },
      input: { in: 'create', isRequired: true },
    },
    bind_resource: { type: 'json', read: ({ spec }) => spec.bindResource, input: { in: 'create', schema: anyObject } },
    predecessor_binding_id: {
      type: 'string',
      read: ({ spec }) => spec.predecessorId,
      input: { in: 'create', schema: text },
    },
    context: {
      type: 'json',
      read: ({ status }) => status.context,
      schema: anyObject,
      query: { read: searchedContext },
    },
    syslog_drain_url: { type: 'string', read: ({ status }) => status.syslogDrainUrl, schema: text },
    route_service_url: { type: 'string', read: ({ status }) => status.routeServiceUrl, schema: text },
    volume_mounts: { type: 'json', read: ({ status }) => status.volumeMounts, schema: list },
    endpoints: { type: 'json', read: ({ status }) => status.endpoints, schema: list },
    metadata: { type: 'json', read: ({ status }) => status.metadata, query: false },
  },
});

/** A service binding as the REST API shows it, without credentials. */
export const bindingView = viewOf(bindingResource);
