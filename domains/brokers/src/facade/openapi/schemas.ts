import type { JsonObject } from '@chandlery/api';
import { bindingResource } from '../../model/resources/bindings.ts';
import { brokerResource } from '../../model/resources/brokers.ts';
import { instanceResource } from '../../model/resources/instances.ts';
import { offeringResource } from '../../model/resources/offerings.ts';
import { operationResource } from '../../model/resources/operations.ts';
import { planResource } from '../../model/resources/plans.ts';
import { platformResource } from '../../model/resources/platforms.ts';
import { inputsOf, type Resource } from '../../model/resources/resource.ts';
import { anyObject, flag, integer, objectSchema, oneOf, text } from '../../model/resources/schemas.ts';
import { visibilityResource } from '../../model/resources/visibilities.ts';

const texts = { type: 'array', items: text };
const labels = { type: 'object', additionalProperties: texts };
const labelChanges = {
  type: 'array',
  items: {
    type: 'object',
    required: ['op', 'key'],
    properties: { op: oneOf('add', 'add_values', 'remove', 'remove_values'), key: text, values: texts },
  },
};

const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

/** The resources under the names that routes use, which are the names of their tables. */
const resources = {
  platforms: platformResource,
  brokers: brokerResource,
  visibilities: visibilityResource,
  offerings: offeringResource,
  plans: planResource,
  instances: instanceResource,
  bindings: bindingResource,
  operations: operationResource,
} as unknown as Readonly<Record<string, Resource<never>>>;

function viewSchema({ fields, extraSchemas = {} }: Resource<never>): JsonObject {
  const documented = Object.entries(fields).flatMap(([name, { schema }]) =>
    schema === undefined ? [] : [[name, schema] as const],
  );
  const common = { labels, last_operation: ref('operations') };
  return objectSchema({ ...Object.fromEntries(documented), ...common, ...extraSchemas }, ['id']);
}

const pageSchema = (item: string): JsonObject =>
  objectSchema({ token: text, num_items: integer, items: { type: 'array', items: ref(item) } }, ['num_items']);

/** The schemas of the bodies that a resource accepts, by the names that routes use. */
function bodySchemas(name: string, resource: Resource<never>): (readonly [string, JsonObject])[] {
  const { accepts: { create, patch = false } = {} } = resource;
  const id = create === 'with-id' ? { id: text } : {};
  const required = inputsOf(resource).flatMap(([field, { isRequired }]) => (isRequired === true ? [field] : []));
  const creation = () => objectSchema({ ...id, ...inputSchemas(resource, 'create'), labels }, required);
  return [
    ...(create === undefined ? [] : [[`${name}-create`, creation()] as const]),
    ...(patch
      ? [[`${name}-patch`, objectSchema({ ...inputSchemas(resource, 'patch'), labels: labelChanges })] as const]
      : []),
  ];
}

function inputSchemas(resource: Resource<never>, request: 'create' | 'patch'): JsonObject {
  const { fields, inputOnly = {} } = resource;
  const entries = inputsOf(resource).flatMap(([name, { in: where = request, schema }]) =>
    where === request ? [[name, schema ?? fields[name]?.schema ?? inputOnly[name]?.schema ?? {}] as const] : [],
  );
  return Object.fromEntries(entries);
}

const all = Object.entries(resources);

/** Schemas of bodies and responses, by the names that routes use. */
export const schemas: JsonObject = {
  ...Object.fromEntries(all.map(([name, resource]) => [name, viewSchema(resource)])),
  ...Object.fromEntries(all.map(([name]) => [`${name}-page`, pageSchema(name)])),
  ...Object.fromEntries(all.flatMap(([name, resource]) => bodySchemas(name, resource))),
  object: anyObject,
  error: objectSchema(
    {
      error: text,
      description: text,
      correlation_id: text,
      field: text,
      ids: texts,
      broker: text,
      broker_status: integer,
      broker_error: text,
      retryable: flag,
      retry_after_seconds: { type: 'number' },
    },
    ['error', 'description'],
  ),
  logging: objectSchema({ level: oneOf('debug', 'info', 'warn', 'error'), format: oneOf('text', 'json') }),
  credentials: objectSchema({ broker_id: text, username: text, password_hash: text, notification_id: text }, [
    'broker_id',
    'username',
    'password_hash',
  ]),
};
