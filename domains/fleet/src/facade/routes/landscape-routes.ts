import type { landscapeHandlers } from '../handlers/landscape/landscape-handlers.ts';
import type { operationHandlers } from '../handlers/landscape/operation-handlers.ts';
import type { LandscapeRoute } from './route.ts';

type LandscapeHandlers = ReturnType<typeof landscapeHandlers> & ReturnType<typeof operationHandlers>;

/** The table of routes for operators of the landscape. */
export const landscapeRoutes = (handlers: LandscapeHandlers): readonly LandscapeRoute[] => [
  { method: 'GET', path: '/v1/products', family: 'operator', handle: handlers.listProducts },
  { method: 'GET', path: '/v1/configuration', family: 'operator', handle: handlers.getConfiguration },
  { method: 'PUT', path: '/v1/configuration', family: 'operator', handle: handlers.putConfiguration },
  { method: 'POST', path: '/v1/tokens', family: 'operator', handle: handlers.issueToken },
  { method: 'GET', path: '/v1/instances/{id}/placement', family: 'operator', handle: handlers.explainPlacement },
  { method: 'GET', path: '/v1/quota', family: 'operator', handle: handlers.listQuota },
  { method: 'PUT', path: '/v1/clusters/{id}/drain', family: 'operator', handle: handlers.drainCluster },
];
