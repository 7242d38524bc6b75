import type { JsonObject } from '@chandlery/api';
import { instanceStates } from '../../kinds/index.ts';
import type { ProductNames } from '../../model/product-names.ts';

const text: JsonObject = { type: 'string' };
const time: JsonObject = { type: 'string', format: 'date-time' };
const flag: JsonObject = { type: 'boolean' };
const integer: JsonObject = { type: 'integer' };
const texts: JsonObject = { type: 'array', items: text };
const nullable = (schema: JsonObject): JsonObject => ({ ...schema, nullable: true });
const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });
const object = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: 'object',
  ...(required.length === 0 ? {} : { required: [...required] }),
  properties,
});
const list = (item: string): JsonObject =>
  object({ kind: text, page: integer, size: integer, total: integer, items: { type: 'array', items: ref(item) } }, [
    'kind',
    'page',
    'size',
    'total',
    'items',
  ]);
const reference: JsonObject = { id: text, kind: text, href: text };
const conditions: JsonObject = {
  type: 'array',
  items: object({ type: text, reason: text, message: text, status: text }),
};

/** Schemas that are the same for every product. */
const commonSchemas: JsonObject = {
  Object: { type: 'object' },
  Error: object({
    ...reference,
    code: text,
    reason: text,
    operation_id: text,
    detail: text,
    hint: text,
    problems: { type: 'array', items: object({ path: text, message: text }) },
  }),
  ErrorList: list('Error'),
  ApiMetadata: object({ ...reference, versions: { type: 'array', items: ref('VersionMetadata') } }),
  VersionMetadata: object({ ...reference, collections: { type: 'array', items: object(reference) } }),
  CloudProvider: object({ kind: text, id: text, display_name: text, name: text, enabled: flag }, ['enabled']),
  CloudProviderList: list('CloudProvider'),
  CloudRegion: object(
    {
      kind: text,
      id: text,
      display_name: text,
      enabled: flag,
      supported_instance_types: texts,
      capacity: { type: 'array', items: object({ instance_type: text, available_sizes: texts }) },
    },
    ['enabled', 'supported_instance_types'],
  ),
  CloudRegionList: list('CloudRegion'),
  MetricsRangeQueryList: object({
    kind: text,
    id: text,
    items: {
      type: 'array',
      items: object({
        metric: { type: 'object', additionalProperties: text },
        values: { type: 'array', items: object({ timestamp: integer, value: { type: 'number' } }, ['value']) },
      }),
    },
  }),
  MetricsInstantQueryList: object({
    kind: text,
    id: text,
    items: {
      type: 'array',
      items: object(
        { metric: { type: 'object', additionalProperties: text }, timestamp: integer, value: { type: 'number' } },
        ['value'],
      ),
    },
  }),
  Cluster: object({
    kind: text,
    cluster_id: text,
    cloud_provider: text,
    region: text,
    multi_az: flag,
    status: text,
    supported_instance_type: text,
    last_seen_at: nullable(time),
    failed_reason: text,
  }),
  ClusterList: list('Cluster'),
  AuditEntry: object({
    id: text,
    kind: text,
    username: text,
    method: text,
    url: text,
    body: text,
    remote_address: text,
    status_code: integer,
    at: time,
  }),
  AuditEntryList: list('AuditEntry'),
  AgentConfiguration: object({
    spec: object({
      observability: object({ accessToken: nullable(text), channel: text, repository: text, tag: text }),
    }),
  }),
  Product: object({ ...reference, instance_kind: text }),
  ProductList: list('Product'),
  ConfigureResult: object({
    product: text,
    warnings: { type: 'array', items: object({ path: text, message: text }) },
  }),
  TokenRequest: object(
    {
      username: text,
      organisation: text,
      account_id: text,
      is_org_admin: flag,
      roles: texts,
      cluster_id: text,
      expiration_seconds: integer,
    },
    ['username'],
  ),
  Token: object({ kind: text, token: text, expires_at: time, issuer: text }),
};

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
      adminServerURI: text,
    }),
  },
});
