import type { JsonObject } from '@chandlery/api';

const inQuery = (name: string, description: string, schema: JsonObject = { type: 'string' }): JsonObject => ({
  name,
  in: 'query',
  description,
  schema,
});

const inHeader = (name: string, description: string): JsonObject => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});

const flag = { type: 'boolean' };

/** Query parameters and headers, by the names that routes use. */
export const parameters: JsonObject = {
  fieldQuery: inQuery('fieldQuery', "Conditions on fields: name eq 'a' and ready eq true"),
  labelQuery: inQuery('labelQuery', "Conditions on labels: env in ('dev','prod'); unusual keys stand in single quotes"),
  tenant: inQuery('tenant', 'The tenant; the header X-Chandlery-Tenant says the same'),
  max_items: inQuery('max_items', 'Items of a page, at most 200; 0: only their number', {
    type: 'integer',
    minimum: 0,
    default: 50,
  }),
  token: inQuery('token', 'Where a list continues'),
  attach_last_operations: inQuery('attach_last_operations', 'Whether each item has its last operation', flag),
  orderable: inQuery('orderable', 'Whether to list only plans of which the caller may make instances here', flag),
  async: inQuery('async', 'true: answer at once; false: when it is done; absent: as the broker does', flag),
  cascade: inQuery('cascade', 'Whether everything that depends on it goes too', flag),
  force: inQuery('force', 'Whether it is done whatever stands against it', flag),
  dry_run: inQuery('dry_run', 'Whether to count only', flag),
  regenerateCredentials: inQuery('regenerateCredentials', 'Whether the platform gets new credentials', flag),
  last_notification_revision: inQuery('last_notification_revision', 'The last event that the platform knows', {
    type: 'integer',
  }),
  accepts_incomplete: inQuery('accepts_incomplete', 'Whether the platform can wait', flag),
  service_id: inQuery('service_id', 'The id of the service in the catalog'),
  plan_id: inQuery('plan_id', 'The id of the plan in the catalog'),
  operation: inQuery('operation', 'What the broker called the operation'),
  'If-Match': inHeader('If-Match', 'The ETag of what is to be changed'),
  'If-None-Match': inHeader('If-None-Match', 'The ETag of what is already known'),
  'Idempotency-Key': inHeader('Idempotency-Key', 'The same key and body again give the first result again'),
  'X-Broker-API-Version': {
    name: 'X-Broker-API-Version',
    in: 'header',
    required: true,
    description: 'The version of the Open Service Broker API',
    schema: { type: 'string', pattern: '^2\\.\\d+$' },
  },
};
