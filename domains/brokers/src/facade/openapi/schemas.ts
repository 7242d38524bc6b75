import type { JsonObject } from '@chandlery/api';

const text = { type: 'string' };
const flag = { type: 'boolean' };
const time = { type: 'string', format: 'date-time' };
const anyObject = { type: 'object' };
const labels = { type: 'object', additionalProperties: { type: 'array', items: text } };
const labelChanges = {
  type: 'array',
  items: {
    type: 'object',
    required: ['op', 'key'],
    properties: {
      op: { enum: ['add', 'add_values', 'remove', 'remove_values'] },
      key: text,
      values: { type: 'array', items: text },
    },
  },
};

const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });
const object = (properties: JsonObject, required: string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required,
});

/** What every resource shows. */
const shown = { id: text, ready: flag, created_at: time, updated_at: time, labels, last_operation: ref('operations') };

const brokerCredentials = object({
  basic: object({ username: text, password: text }, ['username', 'password']),
  token: text,
  tls: object({ client_certificate: text, client_key: text, sm_provided_tls_credentials: flag }),
});
const platform = { name: text, type: text, description: text, suspended: flag, technical: flag };
const broker = {
  name: text,
  broker_url: text,
  description: text,
  internal: text,
  api_version: text,
  limits: anyObject,
};
const brokerInput = { ...broker, credentials: brokerCredentials, ca_bundle: text, insecure_skip_verify: flag };
const visibility = { platform_id: { type: ['string', 'null'] }, service_plan_id: text };
const instanceInput = { name: text, service_plan_id: text, parameters: anyObject, maintenance_info: anyObject };
const bindingInput = { name: text, service_instance_id: text, parameters: anyObject, bind_resource: anyObject };

const resources: Readonly<Record<string, JsonObject>> = {
  platforms: { ...platform, credentials: anyObject },
  brokers: broker,
  visibilities: visibility,
  offerings: {
    name: text,
    description: text,
    broker_id: text,
    catalog_id: text,
    catalog_name: text,
    bindable: flag,
    instances_retrievable: flag,
    bindings_retrievable: flag,
    plan_updateable: flag,
    allow_context_updates: flag,
    tags: { type: 'array' },
    requires: { type: 'array' },
    metadata: anyObject,
  },
  plans: {
    name: text,
    description: text,
    service_offering_id: text,
    catalog_id: text,
    catalog_name: text,
    free: flag,
    bindable: flag,
    plan_updateable: flag,
    metadata: anyObject,
    schemas: anyObject,
    maximum_polling_duration: { type: 'integer' },
    maintenance_info: anyObject,
  },
  instances: {
    name: text,
    service_plan_id: text,
    platform_id: text,
    usable: flag,
    shared: flag,
    referenced_instance_id: text,
    dashboard_url: text,
    context: anyObject,
    maintenance_info: anyObject,
  },
  bindings: {
    name: text,
    service_instance_id: text,
    credentials: anyObject,
    context: anyObject,
    syslog_drain_url: text,
    route_service_url: text,
    volume_mounts: { type: 'array' },
    endpoints: { type: 'array' },
  },
  operations: {
    type: { enum: ['create', 'update', 'delete'] },
    state: { enum: ['pending', 'in progress', 'succeeded', 'failed'] },
    resource_id: text,
    resource_type: text,
    platform_id: text,
    correlation_id: text,
    description: text,
    errors: anyObject,
    retryable: flag,
    reschedule: flag,
    reschedule_timestamp: time,
    deletion_scheduled: time,
    parent_id: text,
    cascade_root_id: text,
    transitive_resources: {
      type: 'array',
      items: object({ id: text, type: text, operation_type: { enum: ['create', 'update', 'delete'] } }),
    },
  },
};

const page = (item: string): JsonObject =>
  object({ token: text, num_items: { type: 'integer' }, items: { type: 'array', items: ref(item) } }, ['num_items']);

const pages = Object.fromEntries(Object.keys(resources).map(name => [`${name}-page`, page(name)]));
const views = Object.fromEntries(
  Object.entries(resources).map(([name, fields]) => [name, object({ ...shown, ...fields }, ['id'])]),
);

/** Schemas of bodies and answers, by the names that routes use. */
export const schemas: JsonObject = {
  ...views,
  ...pages,
  object: anyObject,
  error: object(
    {
      error: text,
      description: text,
      correlation_id: text,
      field: text,
      ids: { type: 'array', items: text },
      broker: text,
      broker_status: { type: 'integer' },
      broker_error: text,
      retryable: flag,
      retry_after_seconds: { type: 'number' },
    },
    ['error', 'description'],
  ),
  logging: object({ level: { enum: ['debug', 'info', 'warn', 'error'] }, format: { enum: ['text', 'json'] } }),
  credentials: object({ broker_id: text, username: text, password_hash: text, notification_id: text }, [
    'broker_id',
    'username',
    'password_hash',
  ]),
  'platforms-create': object({ id: text, ...platform, labels }, ['name', 'type']),
  'platforms-patch': object({ ...platform, labels: labelChanges }),
  'brokers-create': object({ id: text, ...brokerInput, labels }, ['name']),
  'brokers-patch': object({ ...brokerInput, labels: labelChanges }),
  'visibilities-create': object({ id: text, ...visibility, labels }, ['service_plan_id']),
  'visibilities-patch': object({ ...visibility, labels: labelChanges }),
  'offerings-patch': object({ labels: labelChanges }),
  'plans-patch': object({ labels: labelChanges }),
  'instances-create': object({ ...instanceInput, service_offering_name: text, service_plan_name: text, labels }, [
    'name',
  ]),
  'instances-patch': object({ ...instanceInput, shared: flag, platform_id: text, labels: labelChanges }),
  'bindings-create': object({ ...bindingInput, predecessor_binding_id: text, labels }, ['name', 'service_instance_id']),
  'bindings-patch': object({ name: text, labels: labelChanges }),
};
