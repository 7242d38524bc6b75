import type { JsonObject } from '@chandlery/api';
import { instanceStates } from '../../kinds/index.ts';
import type { ProductNames } from '../../model/product-names.ts';
import { commonSchemas } from './common-schemas.ts';
import {
  conditions,
  flag,
  integer,
  list,
  nullable,
  object,
  ref,
  reference,
  text,
  texts,
  time,
} from './schema-parts.ts';

/** The schemas of a product's API. */
export const schemasOf = (names: ProductNames): JsonObject => ({
  ...commonSchemas,
  ...publicSchemas(names),
  ...adminSchemas(names),
  ...agentSchemas(names),
});

const instanceFields: JsonObject = {
  ...reference,
  status: { type: 'string', enum: [...instanceStates] },
  cloud_provider: text,
  multi_az: flag,
  region: text,
  owner: text,
  name: text,
  host: text,
  created_at: time,
  updated_at: time,
  failed_reason: text,
  instance_type: text,
  size_id: text,
  admin_api_server_url: text,
  expires_at: nullable(time),
};

const publicSchemas = ({ kind, collection }: ProductNames): JsonObject => ({
  ServiceStatus: object({ [collection]: object({ max_capacity_reached: flag }, ['max_capacity_reached']) }),
  [`${kind}Request`]: object({ ...instanceFields, version: text, instance_type_name: text }, ['multi_az']),
  [`${kind}RequestList`]: list(`${kind}Request`),
  [`${kind}RequestPayload`]: object(
    {
      name: { type: 'string', minLength: 1, maxLength: 32, pattern: '^[a-z]([-a-z0-9]*[a-z0-9])?$' },
      cloud_provider: text,
      region: text,
      multi_az: flag,
      plan: text,
    },
    ['name'],
  ),
  [`${kind}UpdateRequest`]: object({ owner: nullable(text) }),
});

const adminSchemas = ({ kind, singular }: ProductNames): JsonObject => ({
  [kind]: object(
    {
      ...instanceFields,
      [`actual_${singular}_version`]: text,
      [`actual_${singular}_operator_version`]: text,
      [`desired_${singular}_version`]: text,
      [`desired_${singular}_operator_version`]: text,
      [`${singular}_upgrading`]: flag,
      [`${singular}_operator_upgrading`]: flag,
      organisation_id: text,
      subscription_id: text,
      owner_account_id: text,
      quota_type: text,
      routes: { type: 'array', items: object({ domain: text, router: text }) },
      routes_created: flag,
      cluster_id: text,
      namespace: text,
    },
    ['multi_az', `${singular}_upgrading`, `${singular}_operator_upgrading`],
  ),
  [`${kind}List`]: list(kind),
  [`${kind}AdminUpdateRequest`]: object({
    [`${singular}_version`]: text,
    [`${singular}_operator_version`]: text,
    suspended: nullable(flag),
  }),
});

const agentSchemas = ({ kind, singular }: ProductNames): JsonObject => ({
  [`Managed${kind}`]: object({
    id: text,
    kind: text,
    metadata: object({
      name: text,
      namespace: text,
      annotations: object({ 'mas/id': text, 'mas/placementId': text }, ['mas/id', 'mas/placementId']),
      labels: { type: 'object', additionalProperties: text },
    }),
    spec: object(
      {
        owners: texts,
        endpoint: object({ host: text, tls: nullable(object({ cert: text, key: text })) }),
        versions: object({ [singular]: text, [`${singular}Operator`]: text }),
        serviceAccounts: { type: 'array', items: object({ name: text, principal: text, password: text }) },
        deleted: flag,
      },
      ['deleted'],
    ),
  }),
  [`Managed${kind}List`]: object(
    { kind: text, revision: text, items: { type: 'array', items: ref(`Managed${kind}`) } },
    ['kind', 'items'],
  ),
  ClusterStatusReport: object({
    conditions,
    [`${singular}Operator`]: {
      type: 'array',
      items: object({ ready: flag, version: text, [`${singular}Versions`]: texts }, ['ready', 'version']),
    },
    capacity: { type: 'object', additionalProperties: object({ maxUnits: integer, remainingUnits: integer }) },
  }),
  [`${kind}StatusReports`]: {
    type: 'object',
    additionalProperties: object({
      conditions,
      versions: object({ [singular]: text, [`${singular}Operator`]: text }),
      routes: { type: 'array', nullable: true, items: object({ name: text, prefix: text, router: text }) },
      endpoints: { type: 'array', nullable: true, items: object({ name: text, address: text, port: integer }) },
      adminServerURI: text,
    }),
  },
});
