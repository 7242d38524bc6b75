import type { HttpHost, RestAudit } from '@chandlery/http';
import type { Logger } from '@chandlery/platform';
import type { OrdersSettings } from '../model/tenant-limits.ts';
import { artifactHandlers } from './handlers/artifacts/artifact-handlers.ts';
import { aspectHandlers } from './handlers/aspects/aspect-handlers.ts';
import { collectionHandlers } from './handlers/collections/collection-handlers.ts';
import type { HandlerDeps } from './handlers/handler-deps.ts';
import { queueHandlers } from './handlers/queues/queue-handlers.ts';
import { secretHandlers } from './handlers/secrets/secret-handlers.ts';
import { serviceHandlers } from './handlers/services/service-handlers.ts';
import type { FindCaller } from './middleware/caller.ts';
import { type DocumentExtras, openApiDocument } from './openapi/openapi-document.ts';
import { OrdersServer } from './routes/orders-server.ts';
import { resourceRoutes } from './routes/resource-routes.ts';
import type { OrdersRoute } from './routes/route.ts';

/** What the REST API is built from. */
export interface OrdersFacadeDeps extends HandlerDeps {
  readonly host: HttpHost;
  readonly findCaller: FindCaller;
  readonly settings: OrdersSettings;
  /** Called for every request that may have changed something. Default: nothing is recorded. */
  readonly audit?: (entry: RestAudit) => void;
  readonly logger: Logger;
  /** Routes of other parts of the domain, such as orders and jobs, and what the OpenAPI document needs for them. */
  readonly moreRoutes?: { readonly routes: readonly OrdersRoute[] } & DocumentExtras;
}

/** The REST API while it is served. Disposing of it ends what waits. */
export interface OrdersFacade extends Disposable {
  readonly routes: readonly OrdersRoute[];
}

/** Serves the REST API and its OpenAPI document. The tables must be filled. */
export function createOrdersFacade(deps: OrdersFacadeDeps): OrdersFacade {
  const { host, moreRoutes } = deps;
  const stopping = new AbortController();
  const routes = [...resourceRoutes(createHandlers(deps)), ...(moreRoutes?.routes ?? [])];
  new OrdersServer({ ...deps, routes, stopping: stopping.signal });
  const document = JSON.stringify(openApiDocument(routes, moreRoutes));
  host.app.get('/openapi/orders.json', (_request, reply) => reply.type('application/json').send(document));
  return { routes, [Symbol.dispose]: () => stopping.abort() };
}

const createHandlers = (deps: OrdersFacadeDeps) => ({
  services1: serviceHandlers(deps, 1),
  services2: serviceHandlers(deps, 2),
  artifacts: artifactHandlers(deps),
  collections: collectionHandlers(deps),
  queues: queueHandlers(deps),
  aspects: aspectHandlers(deps),
  secrets: secretHandlers(deps),
});
