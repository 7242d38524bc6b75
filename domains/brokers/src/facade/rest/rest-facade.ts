import type { HttpHost } from '@chandlery/http';
import { type Clock, type Logger, systemClock } from '@chandlery/platform';
import type { BrokerActions } from '../../actions/broker-action-types.ts';
import type { VisibilityActions } from '../../actions/visibility-actions.ts';
import type { Registry } from '../../model/rows.ts';
import type { BrokerAudit } from '../../ports.ts';
import type { BrokerSettings } from '../../settings.ts';
import type { Authenticator } from '../authentication/authenticator.ts';
import { openApiDocument } from '../openapi/openapi-document.ts';
import { type CredentialActions, credentialRoutes } from './documents/credential-routes.ts';
import { documentRoutes, type ServiceManagerInfo } from './documents/document-routes.ts';
import { type HealthCheck, healthRoute } from './documents/health-route.ts';
import { type Logging, loggingRoutes } from './documents/logging-routes.ts';
import { type RetryOperation, retryRoute } from './documents/retry-route.ts';
import { RateLimiter } from './rate-limit/rate-limiter.ts';
import { parseRateRules } from './rate-limit/rate-rules.ts';
import { createBrokerHandler } from './resources/brokers/broker-handler.ts';
import { createOfferingHandler } from './resources/offerings/offering-handler.ts';
import { createOperationHandler } from './resources/operations/operation-handler.ts';
import { createPlanHandler } from './resources/plans/plan-handler.ts';
import { createPlatformHandler } from './resources/platforms/platform-handler.ts';
import { createVisibilityHandler } from './resources/visibilities/visibility-handler.ts';
import { type AnyHandler, erased } from './routes/any-handler.ts';
import { resourceRoutes } from './routes/resource-routes.ts';
import type { StartCascade } from './shared/start-cascade.ts';
import { RestServer } from './transport/rest-server.ts';
import type { Route } from './transport/route.ts';

/** What the REST API is built from. */
export interface RestFacadeOptions {
  readonly host: HttpHost;
  readonly registry: Registry;
  readonly authenticator: Authenticator;
  /** Of service instances and service bindings; the others are made here. */
  readonly handlers: readonly AnyHandler[];
  readonly brokerActions: BrokerActions;
  readonly visibilityActions: VisibilityActions;
  /** Begins the deletion of a platform with everything on it. */
  readonly startCascade: StartCascade;
  readonly retryOperation: RetryOperation;
  readonly credentials: CredentialActions;
  readonly settings: BrokerSettings;
  readonly logging: Logging;
  readonly audit: (entry: BrokerAudit) => void;
  readonly logger: Logger;
  /** Default: nothing but keys. */
  readonly info?: ServiceManagerInfo;
  /** Rejects when the store does not answer. Default: it answers. */
  readonly checkStorage?: HealthCheck;
  readonly clock?: Clock;
}

/**
 * Serves `/v1/…` but for the surface of brokers and the stream of notifications, which go past the framework, and
 * `/openapi/service-manager.json`. Throws `InvalidConfig` for rate limits that cannot be read.
 */
export function createRestFacade(options: RestFacadeOptions): void {
  const { host, authenticator, settings, audit, registry, clock = systemClock } = options;
  const limiter = new RateLimiter(parseRateRules(settings.rateLimit), clock);
  const platformName = (id: string) => registry.platforms.get(id)?.spec.name ?? id;
  const server = new RestServer({ host, authenticator, settings, audit, limiter, platformName });
  const routes = restRoutes(options);
  for (const [path, ofPath] of Map.groupBy(routes, route => route.path)) server.add(path, ofPath);
  addOpenApi(host, routes);
}

function restRoutes(options: RestFacadeOptions): Route[] {
  const { registry, settings, logging, retryOperation, info = {}, checkStorage = async () => {} } = options;
  const handlers = [...ownHandlers(options), ...options.handlers];
  return [
    ...handlers.flatMap(handler => resourceRoutes(erased(handler), { registry, settings })),
    retryRoute(registry, retryOperation),
    ...documentRoutes({ registry, settings, info }),
    ...loggingRoutes(logging),
    healthRoute({ registry, settings, checkStorage }),
    ...credentialRoutes(options.credentials),
  ];
}

const ownHandlers = (options: RestFacadeOptions): AnyHandler[] => [
  createPlatformHandler(options),
  createBrokerHandler(options),
  createVisibilityHandler(options),
  createOfferingHandler(options),
  createPlanHandler(options),
  createOperationHandler(options),
];

/** Serves the OpenAPI document of the service manager without authentication. */
function addOpenApi(host: HttpHost, routes: readonly Route[]): void {
  const body = JSON.stringify(openApiDocument(routes));
  host.app.get('/openapi/service-manager.json', (_request, reply) => reply.type('application/json').send(body));
}
