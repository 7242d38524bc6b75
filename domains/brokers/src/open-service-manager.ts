import type { AtomicClient } from '@chandlery/client';
import type { HttpHost } from '@chandlery/http';
import type { Logger, MetricsRegistry, Tracer } from '@chandlery/platform';
import type { ControllerMetrics } from '@chandlery/runtime';
import { createBrokerActions } from './actions/broker-actions.ts';
import { createVisibilityActions } from './actions/visibility-actions.ts';
import { createBrokerConnections } from './adapters/broker-connections/broker-connections.ts';
import { startAdoption } from './controllers/adoption/start-adoption.ts';
import { startBrokerController } from './controllers/brokers/start-broker-controller.ts';
import { limitNotifications } from './controllers/cleanup/limit-notifications.ts';
import { startCleanup } from './controllers/cleanup/start-cleanup.ts';
import { startLandscape } from './controllers/landscape/start-landscape.ts';
import { startOperationEngine } from './controllers/operations/start-operation-engine.ts';
import { ensureGlobalTenant, ensureOwnPlatform } from './ensure-bootstrap-rows.ts';
import { createAuthenticator } from './facade/authentication/create-authenticator.ts';
import { PasswordThread } from './facade/authentication/password-thread.ts';
import { authenticatorWhenReady, StartupReadiness } from './facade/authentication/startup-readiness.ts';
import { createCredentialActions } from './facade/credentials/credential-actions.ts';
import { createNotifications } from './facade/notifications/create-notifications.ts';
import { isConnected } from './facade/notifications/is-connected.ts';
import { CatalogCache } from './facade/osb/catalog-cache.ts';
import { createOsbFacade } from './facade/osb/osb-facade.ts';
import type { ServiceManagerInfo } from './facade/rest/documents/document-routes.ts';
import type { Logging } from './facade/rest/documents/logging-routes.ts';
import { createBindingHandler } from './facade/rest/resources/bindings/binding-handler.ts';
import { createInstanceHandler } from './facade/rest/resources/instances/instance-handler.ts';
import { createRetryOperation } from './facade/rest/resources/operations/retry-operation.ts';
import { createRestFacade } from './facade/rest/rest-facade.ts';
import { createCascadeStart } from './facade/rest/shared/start-cascade.ts';
import type { InternalBroker } from './kinds/index.ts';
import { addOsbMetrics, addOsbRequestMetrics, addRecordMetrics } from './metrics.ts';
import { createContextSigner } from './model/osb/context-signature.ts';
import type { Registry } from './model/rows.ts';
import type { BrokerAudit, FindUser } from './ports.ts';
import { createRegistry } from './registry/create-registry.ts';
import type { BrokerSettings } from './settings.ts';

/** What the service manager is built from. */
export interface ServiceManagerOptions {
  /** Of the logical cluster that holds the kinds of the domain. Not disposed of. */
  readonly client: AtomicClient;
  /** Where its APIs are served; nothing listens there yet. */
  readonly host: HttpHost;
  readonly findUser: FindUser;
  readonly settings: BrokerSettings;
  /** What other domains offer, by name. May be filled later. */
  readonly internalBrokers: ReadonlyMap<string, InternalBroker>;
  readonly logging: Logging;
  readonly audit: (entry: BrokerAudit) => void;
  /** Rejects when the store does not answer. */
  readonly checkStorage: () => Promise<void>;
  /** Where people get their tokens, for /v1/info. Default: nowhere. */
  readonly info?: ServiceManagerInfo;
  readonly logger: Logger;
  /** The registry that `/metrics` shows. Default: nothing is measured. */
  readonly metrics?: MetricsRegistry;
  /** Default: nothing is traced. */
  readonly tracer?: Tracer;
}

/** The service manager of this process: its APIs serve, its controllers run where they are started. */
export interface ServiceManager extends AsyncDisposable {
  /** Ends the streams of proxies, which would otherwise keep the host from closing. They come back to another replica. */
  closeStreams(): Promise<void>;
  /** Resolves when it serves: not while stored rows of its own are damaged. */
  readonly opened: Promise<void>;
  /** Starts what moves brokers and operations on, as soon as it serves. Of several replicas one at a time does. */
  startControllers(metrics?: ControllerMetrics): AsyncDisposable;
}

/**
 * Reads the stored rows and adds the routes of the service manager to the host. While rows are damaged, its routes
 * respond with 503 and the rest of the server works.
 */
export async function openServiceManager(options: ServiceManagerOptions): Promise<ServiceManager> {
  const { client, settings, internalBrokers, logger } = options;
  await using stack = new AsyncDisposableStack();
  const signer = createContextSigner(settings);
  await ensureGlobalTenant(client);
  const readiness = new StartupReadiness();
  const registry = stack.use(createRegistry({ client, logger, onDamage: () => readiness.block() }));
  const opened = registry.synced.then(() => ensureOwnPlatform(registry)).then(() => readiness.open());
  await Promise.race([opened, readiness.blocked]);
  if (!readiness.isOpen) reportBlocked(logger, opened);
  const connections = stack.use(
    createBrokerConnections({
      registry,
      internalBrokers,
      settings,
      logger,
      metrics: options.metrics && addOsbMetrics(options.metrics),
      tracer: options.tracer,
    }),
  );
  const actions = {
    brokers: createBrokerActions({ registry, connections, settings, logger }),
    visibilities: createVisibilityActions({ registry }),
  };
  const parts: Parts = { ...options, registry, connections, actions, signer, readiness, stack };
  const notifications = serve(parts);
  const owned = stack.move();
  return {
    closeStreams: () => Promise.resolve(notifications[Symbol.asyncDispose]()),
    opened,
    startControllers: controllerMetrics => {
      const start = (): AsyncDisposable => startControllers({ ...parts, controllerMetrics });
      return readiness.isOpen ? start() : startLater(opened, start);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Rows can be repaired in a database while we run: then it opens by itself. */
function reportBlocked(logger: Logger, opened: Promise<void>): void {
  logger.error('the service manager does not serve: stored objects of its own are damaged', {
    next: 'stop the server, run "chandlery store verify", and restore a backup',
  });
  opened.then(
    () => logger.info('the service manager serves: all of its objects can be read'),
    () => undefined,
  );
}

/** Starts something when its time has come, unless it was disposed of before. */
function startLater(time: Promise<void>, start: () => AsyncDisposable): AsyncDisposable {
  const stack = new AsyncDisposableStack();
  time.then(
    () => void (stack.disposed || stack.use(start())),
    () => undefined,
  );
  return stack;
}

interface Parts extends ServiceManagerOptions {
  readonly registry: Registry;
  readonly connections: ReturnType<typeof createBrokerConnections>;
  readonly actions: {
    readonly brokers: ReturnType<typeof createBrokerActions>;
    readonly visibilities: ReturnType<typeof createVisibilityActions>;
  };
  readonly signer: ReturnType<typeof createContextSigner>;
  readonly readiness: StartupReadiness;
  readonly stack: AsyncDisposableStack;
}

/** Serves the three APIs: OSB for platforms, notifications for proxies, REST for all. */
function serve(parts: Parts): AsyncDisposable {
  const { client, host, registry, connections, settings, findUser, actions, stack, logger } = parts;
  const passwords = stack.use(new PasswordThread());
  const authenticator = authenticatorWhenReady(
    createAuthenticator({ registry, findUser, logger, comparePassword: passwords.compare }),
    parts.readiness,
  );
  const catalogCache = stack.use(new CatalogCache(registry));
  const { metrics } = parts;
  const requestMetrics = metrics && addOsbRequestMetrics(metrics);
  const osb = stack.use(createOsbFacade({ ...parts, authenticator, catalogCache, requestMetrics }));
  host.handleUnder('/v1/osb/', (request, response, common) => osb.handle(request, response, common), {
    routeClass: '/v1/osb',
  });
  const notifications = stack.use(createNotifications({ client, registry, authenticator, settings, logger }));
  if (metrics !== undefined) addRecordMetrics({ metrics, registry, countStreams: () => notifications.connected });
  host.upgradeUnder('/v1/notifications', (...upgrade) => notifications.upgrade(...upgrade));
  host.handleUnder('/v1/notifications', notifications.stream, { routeClass: '/v1/notifications' });
  const startCascade = createCascadeStart({
    registry,
    isConnected: platform => isConnected(platform, new Date(), settings),
  });
  const deps = { registry, connections, settings, startCascade };
  createRestFacade({
    ...parts,
    authenticator,
    handlers: [createInstanceHandler(deps), createBindingHandler(deps)],
    brokerActions: actions.brokers,
    visibilityActions: actions.visibilities,
    startCascade,
    retryOperation: createRetryOperation(registry),
    credentials: createCredentialActions({ registry }),
  });
  return notifications;
}

interface ControllerParts extends Parts {
  readonly controllerMetrics: ControllerMetrics | undefined;
}

function startControllers({
  registry,
  connections,
  settings,
  actions,
  signer,
  logger,
  internalBrokers,
  controllerMetrics: metrics,
}: ControllerParts): AsyncDisposable {
  const stack = new AsyncDisposableStack();
  stack.use(startBrokerController({ registry, actions, settings, logger, metrics, internalBrokers }));
  stack.use(startLandscape({ registry, actions, logger, metrics, internalBrokers }));
  stack.use(startOperationEngine({ registry, connections, settings, signer, logger, metrics }));
  stack.use(startAdoption({ registry, settings, logger, metrics }));
  stack.use(startCleanup({ registry, settings, logger }));
  stack.use(limitNotifications({ registry, logger }));
  return stack;
}
