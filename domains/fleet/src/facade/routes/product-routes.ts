import type { adminHandlers } from '../handlers/admin/admin-handlers.ts';
import type { agentHandlers } from '../handlers/agent/agent-handlers.ts';
import type { FleetResponse, ProductCall } from '../handlers/call.ts';
import { documentHandlers } from '../handlers/document-handlers.ts';
import type { instanceHandlers } from '../handlers/instances/instance-handlers.ts';
import type { metricsHandlers } from '../handlers/metrics-handlers.ts';
import type { providerHandlers } from '../handlers/provider-handlers.ts';
import type { quotaHandlers } from '../handlers/quota-handlers.ts';
import type { ProductRoute } from './route.ts';

/** What the routes of a product lead to. */
export interface ProductHandlers {
  readonly instances: ReturnType<typeof instanceHandlers>;
  readonly metrics: ReturnType<typeof metricsHandlers>;
  readonly providers: ReturnType<typeof providerHandlers>;
  readonly quota: ReturnType<typeof quotaHandlers>;
  readonly admin: ReturnType<typeof adminHandlers>;
  readonly agents: ReturnType<typeof agentHandlers>;
  readonly listAudit: (call: ProductCall) => Promise<FleetResponse>;
  readonly openApi: (call: ProductCall) => Promise<FleetResponse>;
}

const instance = '/v1/{collection}/{id}';
const adminInstance = '/v1/admin/{collection}/{id}';
const agent = '/v1/agent-clusters/{id}';

/** The table of all routes of a product. */
export const productRoutes = (handlers: ProductHandlers): readonly ProductRoute[] => [
  ...openRoutes(handlers),
  ...userRoutes(handlers),
  ...adminRoutes(handlers),
  ...agentRoutes(handlers),
];

const openRoutes = ({ openApi }: ProductHandlers): readonly ProductRoute[] => [
  { method: 'GET', path: '', family: 'open', handle: documentHandlers.api },
  { method: 'GET', path: '/v1', family: 'open', handle: documentHandlers.version },
  { method: 'GET', path: '/v1/openapi', family: 'open', handle: openApi },
  { method: 'GET', path: '/v1/errors', family: 'open', handle: documentHandlers.errors },
  { method: 'GET', path: '/v1/errors/{id}', family: 'open', handle: documentHandlers.error },
];

const userRoutes = ({ instances, metrics, providers, quota }: ProductHandlers): readonly ProductRoute[] => [
  { method: 'GET', path: '/v1/status', family: 'user', rules: { admitsDenied: true }, handle: providers.status },
  { method: 'GET', path: '/v1/quota', family: 'user', handle: quota.list },
  { method: 'GET', path: '/v1/cloud_providers', family: 'token', handle: providers.list },
  { method: 'GET', path: '/v1/cloud_providers/{id}/regions', family: 'token', handle: providers.listRegions },
  { method: 'GET', path: '/v1/{collection}', family: 'user', handle: instances.list },
  { method: 'POST', path: '/v1/{collection}', family: 'user', rules: { needsTerms: true }, handle: instances.create },
  { method: 'GET', path: instance, family: 'user', handle: instances.get },
  { method: 'PATCH', path: instance, family: 'user', handle: instances.patch },
  { method: 'DELETE', path: instance, family: 'user', handle: instances.remove },
  { method: 'GET', path: `${instance}/metrics/query_range`, family: 'user', handle: metrics.queryRange },
  { method: 'GET', path: `${instance}/metrics/query`, family: 'user', handle: metrics.query },
  {
    method: 'GET',
    path: `${instance}/metrics/federate`,
    family: 'user',
    rules: { acceptsAgentIssuer: true },
    handle: metrics.federate,
  },
];

const adminRoutes = ({ admin, listAudit }: ProductHandlers): readonly ProductRoute[] => [
  { method: 'GET', path: '/v1/admin/{collection}', family: 'admin', handle: admin.list },
  { method: 'GET', path: adminInstance, family: 'admin', handle: admin.get },
  { method: 'PATCH', path: adminInstance, family: 'admin', handle: admin.patch },
  { method: 'DELETE', path: adminInstance, family: 'admin', handle: admin.remove },
  { method: 'GET', path: '/v1/admin/clusters', family: 'admin', handle: admin.listClusters },
  { method: 'GET', path: '/v1/admin/audit', family: 'admin', handle: listAudit },
];

const agentRoutes = ({ agents }: ProductHandlers): readonly ProductRoute[] => [
  { method: 'GET', path: agent, family: 'agent', handle: agents.getConfiguration },
  { method: 'PUT', path: `${agent}/status`, family: 'agent', handle: agents.putStatus },
  { method: 'PUT', path: `${agent}/metrics`, family: 'agent', handle: agents.putMetrics },
  { method: 'PUT', path: `${agent}/{collection}/status`, family: 'agent', handle: agents.putInstanceStatuses },
  { method: 'GET', path: `${agent}/{collection}`, family: 'agent', handle: agents.list },
  { method: 'GET', path: `${agent}/{collection}/{instanceId}`, family: 'agent', handle: agents.get },
];
