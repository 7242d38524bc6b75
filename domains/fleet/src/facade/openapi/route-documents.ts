import type { RouteDocument } from '@chandlery/http';

interface Extras {
  readonly parameters?: readonly string[];
  readonly body?: string;
}

const doc = (
  tag: string,
  summary: string,
  responses: RouteDocument['responses'],
  extras: Extras = {},
): RouteDocument => ({ tag, summary, responses, ...extras });

const paged: Extras = { parameters: ['page', 'size'] };
const listed: Extras = { parameters: ['page', 'size', 'orderBy', 'search'] };
const async: Extras = { parameters: ['async'] };

const openDocuments = {
  'GET ': doc('metadata', 'Returns the versions of the API', { 200: 'ApiMetadata' }),
  'GET /v1': doc('metadata', 'Returns the collections of the API', { 200: 'VersionMetadata' }),
  'GET /v1/openapi': doc('metadata', 'Returns the OpenAPI document of the product', { 200: 'Object' }),
  'GET /v1/errors': doc('errors', 'Returns the possible errors', { 200: 'ErrorList' }, paged),
  'GET /v1/errors/{id}': doc('errors', 'Returns an error by its number', { 200: 'Error' }),
};

const instance = '/v1/{collection}/{id}' as const;
const metrics = `${instance}/metrics` as const;

const userDocuments = {
  'GET /v1/status': doc('status', 'Returns whether the maximum capacity is reached', { 200: 'ServiceStatus' }),
  'GET /v1/quota': doc('quota', "Returns the organisation's quota and what is used of it", { 200: 'QuotaList' }),
  'GET /v1/cloud_providers': doc('providers', 'Returns the cloud providers', { 200: 'CloudProviderList' }, paged),
  'GET /v1/cloud_providers/{id}/regions': doc(
    'providers',
    'Returns the regions of a cloud provider',
    { 200: 'CloudRegionList' },
    { parameters: ['page', 'size', 'instance_type'] },
  ),
  'GET /v1/{collection}': doc(
    'instances',
    "Returns the organisation's instances",
    { 200: '{Kind}RequestList' },
    listed,
  ),
  'POST /v1/{collection}': doc(
    'instances',
    'Orders an instance',
    { 202: '{Kind}Request' },
    { ...async, body: '{Kind}RequestPayload' },
  ),
  [`GET ${instance}`]: doc('instances', 'Returns an instance', { 200: '{Kind}Request' }),
  [`PATCH ${instance}`]: doc(
    'instances',
    'Gives an instance to another owner',
    { 200: '{Kind}Request' },
    { body: '{Kind}UpdateRequest' },
  ),
  [`DELETE ${instance}`]: doc('instances', 'Deletes an instance', { 202: '' }, async),
  [`GET ${metrics}/query_range`]: doc(
    'metrics',
    'Returns metrics over time',
    { 200: 'MetricsRangeQueryList' },
    { parameters: ['duration', 'interval', 'filters'] },
  ),
  [`GET ${metrics}/query`]: doc(
    'metrics',
    'Returns the latest metrics',
    { 200: 'MetricsInstantQueryList' },
    { parameters: ['filters'] },
  ),
  [`GET ${metrics}/federate`]: doc('metrics', 'Returns all metrics in the format of Prometheus', { 200: 'text' }),
};

const managed = '/v1/admin/{collection}/{id}';

const adminDocuments = {
  'GET /v1/admin/{collection}': doc(
    'admin',
    'Returns the instances of all organisations',
    { 200: '{Kind}List' },
    listed,
  ),
  [`GET ${managed}`]: doc('admin', 'Returns an instance of any organisation', { 200: '{Kind}' }),
  [`PATCH ${managed}`]: doc(
    'admin',
    'Changes desired versions, suspends or resumes an instance',
    { 200: '{Kind}' },
    { body: '{Kind}AdminUpdateRequest' },
  ),
  [`DELETE ${managed}`]: doc('admin', 'Deletes an instance of any organisation', { 202: '' }, async),
  'GET /v1/admin/clusters': doc('admin', 'Returns the data-plane clusters', { 200: 'ClusterList' }, paged),
  'GET /v1/admin/audit': doc(
    'admin',
    'Returns the calls of the admin API, newest first',
    { 200: 'AuditEntryList' },
    paged,
  ),
};

const agent = '/v1/agent-clusters/{id}';

const agentDocuments = {
  [`GET ${agent}`]: doc('agents', 'Returns the configuration of an agent', { 200: 'AgentConfiguration' }),
  [`PUT ${agent}/status`]: doc(
    'agents',
    'Reports the status of a cluster',
    { 204: '' },
    { body: 'ClusterStatusReport' },
  ),
  [`PUT ${agent}/metrics`]: doc('agents', 'Reports metrics of instances', { 204: '' }, { body: 'MetricsReport' }),
  [`PUT ${agent}/{collection}/status`]: doc(
    'agents',
    'Reports the status of instances',
    { 200: '' },
    { body: '{Kind}StatusReports' },
  ),
  [`GET ${agent}/{collection}`]: doc(
    'agents',
    'Returns what belongs on a cluster, waiting for a change if asked to',
    { 200: 'Managed{Kind}List', 304: '' },
    { parameters: ['revision', 'wait', 'secrets'] },
  ),
  [`GET ${agent}/{collection}/{instanceId}`]: doc('agents', 'Returns an instance on a cluster with its secrets', {
    200: 'Managed{Kind}',
  }),
};

const landscapeDocuments = {
  'GET /v1/products': doc('landscape', 'Returns the products', { 200: 'ProductList' }),
  'GET /v1/configuration': doc(
    'landscape',
    "Returns a product's configuration without secrets",
    { 200: 'Object' },
    { parameters: ['product'] },
  ),
  'PUT /v1/configuration': doc(
    'landscape',
    'Puts a configuration document into force',
    { 200: 'ConfigureResult' },
    { body: 'Object' },
  ),
  'POST /v1/tokens': doc(
    'landscape',
    "Issues a token of the landscape's own issuer",
    { 201: 'Token' },
    { body: 'TokenRequest' },
  ),
  'GET /v1/instances/{id}/placement': doc('landscape', 'Says why an instance is where it is, or nowhere', {
    200: 'Placement',
  }),
  'GET /v1/quota': doc(
    'landscape',
    'Returns the quota of a product and what is used of it',
    { 200: 'QuotaList' },
    { parameters: ['product', 'organisation'] },
  ),
  'GET /v1/capacity': doc(
    'landscape',
    'Returns the regions of a product and their clusters, with the units that are occupied',
    { 200: 'RegionCapacityList' },
    { parameters: ['product'] },
  ),
  'PUT /v1/clusters/{id}/drain': doc(
    'landscape',
    'Keeps new instances away from a cluster, or lets them in again; gives up one that is lost',
    { 200: 'ClusterDrain' },
    { parameters: ['product'], body: 'ClusterDrain' },
  ),
};

/** What is documented of each route, by method and path. */
export const routeDocuments: ReadonlyMap<string, RouteDocument> = new Map(
  Object.entries({ ...openDocuments, ...userDocuments, ...adminDocuments, ...agentDocuments, ...landscapeDocuments }),
);
