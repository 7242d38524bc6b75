import type { JsonObject } from '@chandlery/api';
import { flag, integer, list, nullable, object, ref, reference, text, texts, time } from './schema-parts.ts';

/** Schemas that are the same for every product. */
export const commonSchemas: JsonObject = {
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
      program: { type: 'object' },
    }),
  }),
  MetricsReport: {
    type: 'object',
    additionalProperties: {
      type: 'array',
      items: object({ metric: { type: 'object', additionalProperties: text }, value: { type: 'number' } }, [
        'metric',
        'value',
      ]),
    },
  },
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
  Placement: object({
    id: text,
    kind: text,
    product: text,
    cluster_id: text,
    clusters: { type: 'array', items: object({ cluster_id: text, verdict: text, reason: text }) },
  }),
  Quota: object({
    kind: text,
    product: text,
    type: text,
    organisation: text,
    username: text,
    source: text,
    users: texts,
    limit: nullable(integer),
    used: integer,
  }),
  QuotaList: list('Quota'),
  ClusterDrain: object({ kind: text, product: text, cluster_id: text, draining: flag, lost: flag }, ['draining']),
  Token: object({ kind: text, token: text, expires_at: time, issuer: text }),
};
