import type { landscapeHandlers } from '../handlers/landscape/landscape-handlers.ts';
import type { LandscapeRoute } from './route.ts';

/** The table of routes for operators of the landscape. */
export const landscapeRoutes = (handlers: ReturnType<typeof landscapeHandlers>): readonly LandscapeRoute[] => [
  { method: 'GET', path: '/v1/products', family: 'operator', handle: handlers.listProducts },
  { method: 'GET', path: '/v1/configuration', family: 'operator', handle: handlers.getConfiguration },
  { method: 'PUT', path: '/v1/configuration', family: 'operator', handle: handlers.putConfiguration },
  { method: 'POST', path: '/v1/tokens', family: 'operator', handle: handlers.issueToken },
];
