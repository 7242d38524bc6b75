import { join } from 'node:path';
import type { InternalBroker, ListeningEndpoint } from '@chandlery/brokers/kinds';
import type { AtomicClient, Client } from '@chandlery/client';
import { type Clock, KeyedMutex, type Logger, MetricsRegistry, systemClock } from '@chandlery/platform';
import type { ControllerMetrics } from '@chandlery/runtime';
import type { ActionDeps } from './actions/action-deps.ts';
import { verifyHosting } from './actions/hosting/verify-hosting.ts';
import type { OrderDeps } from './actions/orders/order-deps.ts';
import { routeWorkflows } from './actions/orders/route-workflows.ts';
import { verifyService } from './actions/orders/verify-service.ts';
import { createOrdersActions } from './actions/orders-actions.ts';
import type { VerifyService } from './actions/services/service-actions.ts';
import { SiteDirectory } from './actions/sites/site-directory.ts';
import { type VerifySiteDeps, verifySite } from './actions/sites/verify-site.ts';
import { TenantBudget } from './actions/tenant-budget.ts';
import { ArgoAccess } from './adapters/argo/argo-access.ts';
import { ArgoEngine } from './adapters/argo/argo-engine.ts';
import type { ProxyDeps } from './adapters/data-proxy/proxy-call.ts';
import { HttpGateway } from './adapters/hosting/http-gateway.ts';
import { HttpJobSender } from './adapters/hosting/http-job-sender.ts';
import { PodProcesses } from './adapters/hosting/pod-processes.ts';
import { EmbeddedEngine } from './adapters/kube-workflows/embedded-engine.ts';
import { ensureNamespace } from './adapters/kube-workflows/ensure-namespace.ts';
import { FileNodeLogs } from './adapters/node-logs/file-node-logs.ts';
import { serveClosed } from './closed-orders.ts';
import { startBlobWorker } from './controllers/blobs/blob-worker.ts';
import type { HostingDeps } from './controllers/hosting/reconcile-hosting.ts';
import { startHosting } from './controllers/hosting/start-hosting.ts';
import type { OrderControllerDeps } from './controllers/orders/order-controller-deps.ts';
import { startOrderController } from './controllers/orders/start-order-controller.ts';
import { startRetention } from './controllers/retention/start-retention.ts';
import { startBorrowing } from './controllers/standing/start-borrowing.ts';
import { ensureConsumerRole } from './ensure-consumer-role.ts';
import { createOrdersFacade, type OrdersFacadeDeps } from './facade/create-facade.ts';
import { type ProxyHandlerDeps, proxyHandlers } from './facade/handlers/hosting/proxy-handlers.ts';
import { jobHandlers } from './facade/handlers/jobs/job-handlers.ts';
import type { OrderHandlerDeps } from './facade/handlers/orders/order-deps.ts';
import { orderHandlers } from './facade/handlers/orders/order-handlers.ts';
import { orderPartsHandlers } from './facade/handlers/orders/order-parts-handlers.ts';
import { createOrderOfferings } from './facade/offerings/create-order-offerings.ts';
import { orderParameters, orderSchemas } from './facade/openapi/order-schemas.ts';
import { orderRoutes, proxyWriteAccess } from './facade/routes/order-routes.ts';
import { serveProxyUpgrades } from './facade/routes/proxy-upgrades.ts';
import { serveSites } from './facade/sites/site-server.ts';
import { addOrdersMetrics } from './metrics.ts';
import type { ArgoSettings } from './model/argo/argo-settings.ts';
import { defaultProfile, type PlatformProfile } from './model/documents/plan.ts';
import type { SiteDomains } from './model/sites/site-domains.ts';
import { defaultSettings, type OrdersSettings } from './model/tenant-limits.ts';
import { builtInModels, ModelRegistry, type ServiceModel } from './models/index.ts';
import type {
  DataProxyProvisioner,
  FetchExternal,
  ReadContainerLog,
  ReadContainerUsage,
  ServiceProxyProvisioner,
  WorkflowEngine,
} from './order-ports.ts';
import type { BlobStore, SiteStore, UploadStore } from './ports.ts';
import { createOrdersRegistry, type OrdersRegistry } from './registry/orders-registry.ts';
import { TenantUsage } from './registry/tenant-usage.ts';
import type { WorkflowArtifacts } from './registry/workflows/workflow-registry.ts';
import type { ArtifactBytes } from './workflow-ports.ts';

/** What services and orders need from the process that they run in. */
export interface OrdersOptions extends Pick<OrdersFacadeDeps, 'host' | 'findCaller' | 'audit'> {
  /** Of the logical cluster `ordersCluster`. Not disposed of. */
  readonly client: AtomicClient;
  readonly blobs: BlobStore;
  readonly uploads: UploadStore;
  /**
   * Artifacts of workflows: their bytes are in the same store, and count for the tenants. Default: they are not known, so
   * that no blob is ever removed.
   */
  readonly workflowArtifacts?: WorkflowArtifacts | undefined;
  /** Of the cluster on which Workflows are executed. Not disposed of. */
  readonly platform: Client;
  /** Clusters to whose Argo orders are handed. Default: none. */
  readonly argo?: { readonly clusters: readonly ArgoSettings[]; readonly logFolder: string };
  /** Provides containers with access to records; it serves as long as the domain is open. */
  readonly dataProxy: DataProxyProvisioner & ServiceProxyProvisioner & { serve(deps: ProxyDeps): void };
  /** Models besides those of the repository. Default none. */
  readonly models?: readonly ServiceModel[];
  readonly readContainerLog: ReadContainerLog;
  /** Default: nothing is measured. */
  readonly readContainerUsage?: ReadContainerUsage;
  /** Reads content from outside for containers. */
  readonly fetchExternal: FetchExternal;
  /** What the platform decides for all orders; those given replace single defaults. */
  readonly profile?: Partial<PlatformProfile>;
  /** Where archives of sites are unpacked. */
  readonly sites: SiteStore;
  /** Names and addresses of the landscape itself, which no site can have. */
  readonly ownHosts: readonly string[];
  /** The address at which the landscape serves sites, once it listens. Undefined: at no single one. */
  readonly siteEndpoint?: () => ListeningEndpoint | undefined;
  /** Which tenants may have sites in which domains. Default: all in all. */
  readonly siteDomains?: SiteDomains;
  /** Those given replace single defaults. */
  readonly settings?: Partial<OrdersSettings>;
  /** Where own metrics go. Default: nowhere. */
  readonly metrics?: MetricsRegistry;
  readonly logger: Logger;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

/** Services and orders that are served. */
export interface Orders extends AsyncDisposable {
  readonly registry: OrdersRegistry;
  /** Resolves when they are served: never when stored objects are damaged, until the next start. */
  readonly opened: Promise<void>;
  /** Where workflows keep the bytes of artifacts, within the limits of tenants. */
  readonly bytes: ArtifactBytes;
  /** The services of tenants, for the service manager. Undefined: they are not served. */
  readonly offerings: InternalBroker | undefined;
  /** Whether a host name, in lower case, is that of a site. */
  servesHost(hostName: string): boolean;
  /** Starts the controllers, in the one replica that leads. */
  startControllers(metrics?: ControllerMetrics): AsyncDisposable;
}

/** Opens the registry and serves the REST API, before the host listens. */
export async function openOrders(options: OrdersOptions): Promise<Orders> {
  const { client, logger, clock = systemClock, readContainerUsage = async () => undefined } = options;
  await using stack = new AsyncDisposableStack();
  await ensureConsumerRole(client);
  const damage = Promise.withResolvers<void>();
  const registry = stack.use(createOrdersRegistry({ client, clock, logger, onDamage: damage.resolve }));
  const isFilled = await Promise.race([registry.synced.then(() => true), damage.promise.then(() => false)]);
  if (!isFilled) return closedOrders(options, registry, stack.move());
  const deps = actionDeps(options, registry, clock);
  stack.use(deps.usage);
  const orders = orderDeps(options, deps, openEngines(options, deps, stack));
  const { host, findCaller, audit, dataProxy, fetchExternal, sites, platform, siteDomains = {} } = options;
  const onError = (error: Error): void =>
    logger.warn('processes of services could not be watched', { error: error.message });
  const processes = stack.use(new PodProcesses({ client: platform, onError }));
  const gateway = stack.use(new HttpGateway({ timeoutMs: deps.settings.proxyTimeoutMs }));
  const jobSender = stack.use(new HttpJobSender());
  const ownHosts = new Set(options.ownHosts.map(name => name.toLowerCase()));
  const actions = createOrdersActions(deps, {
    verifyService: verifyAll(orders, { ...deps, sites, ownHosts, siteDomains }),
  });
  const directory = stack.use(new SiteDirectory({ ...deps, sites, ownHosts, siteDomains }));
  serveSites({ host, directory, sites });
  const handlerDeps = { ...orders, actions, orders, readContainerUsage, processes, gateway };
  stack.use(
    createOrdersFacade({
      ...orders,
      host,
      findCaller,
      ...(audit && { audit }),
      actions,
      moreRoutes: moreRoutes(handlerDeps),
    }),
  );
  serveProxyUpgrades({ ...handlerDeps, host, findCaller, access: proxyWriteAccess });
  dataProxy.serve({ ...deps, actions, fetchExternal });
  const all = stack.move();
  return {
    registry,
    opened: Promise.resolve(),
    bytes: artifactBytes(deps, (namespace, bytes) => deps.budget.reserveIn(namespace, bytes)),
    offerings: createOrderOfferings({
      ...orders,
      processes,
      isSiteServed: name => directory.isServed(name),
      siteEndpoint: options.siteEndpoint ?? (() => undefined),
    }),
    servesHost: hostName => directory.isServed(hostName),
    startControllers: controllerMetrics =>
      startControllers({ ...orders, platform, dataProxy, processes, jobSender, controllerMetrics }, options),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Sites are checked last, as their archives are unpacked for it. */
function verifyAll(orders: OrderDeps, deps: VerifySiteDeps): VerifyService {
  const verifyModel = verifyService(orders);
  const verifyProcess = verifyHosting(orders);
  const verify = verifySite(deps);
  return async (spec, tenant, id) => {
    await verifyModel(spec, tenant);
    verifyProcess(spec, tenant, id);
    await verify(spec, tenant, id);
  };
}

function actionDeps(options: OrdersOptions, registry: OrdersRegistry, clock: Clock): ActionDeps {
  const { blobs, uploads, logger, metrics = new MetricsRegistry() } = options;
  const settings = { ...defaultSettings, ...options.settings };
  const usage = new TenantUsage(registry, options.workflowArtifacts);
  const budget = new TenantBudget(usage, settings, addOrdersMetrics({ metrics, registry, usage }));
  const locks = { blobLocks: new KeyedMutex<string>(), recordLocks: new KeyedMutex<string>() };
  return { registry, usage, budget, blobs, uploads, ...locks, settings, clock, logger };
}

function orderDeps(
  { models = [], dataProxy, profile }: OrdersOptions,
  deps: ActionDeps,
  workflows: WorkflowEngine,
): OrderDeps {
  return {
    ...deps,
    models: new ModelRegistry([...builtInModels, ...models]),
    workflows,
    dataProxy,
    profile: { ...defaultProfile, ...profile },
  };
}

/** The embedded engine, and those of the clusters that the settings name. */
function openEngines(
  options: OrdersOptions,
  { clock, logger }: ActionDeps,
  stack: AsyncDisposableStack,
): WorkflowEngine {
  const { platform, readContainerLog, argo } = options;
  const embedded = new EmbeddedEngine({ platform, readContainerLog, clock, logger });
  if (argo === undefined || argo.clusters.length === 0) return embedded;
  const access = stack.use(new ArgoAccess({ platform, logger }));
  const engines = argo.clusters.map(settings => {
    const logs = new FileNodeLogs(join(argo.logFolder, settings.cluster));
    const engine = stack.use(new ArgoEngine({ settings, connect: access.connect, logs, clock, logger }));
    return { settings, engine };
  });
  return routeWorkflows({ embedded, argo: engines });
}

/** The routes of orders and jobs, and what the OpenAPI document says of them. */
const moreRoutes = (deps: OrderHandlerDeps & ProxyHandlerDeps) => ({
  routes: orderRoutes({
    orders: orderHandlers(deps),
    parts: orderPartsHandlers(deps),
    jobs: jobHandlers(deps),
    proxy: proxyHandlers(deps),
  }),
  schemas: orderSchemas,
  parameters: orderParameters,
});

const artifactBytes = (
  { blobs, blobLocks, settings }: Pick<ActionDeps, 'blobs' | 'blobLocks' | 'settings'>,
  reserve: ArtifactBytes['reserve'],
): ArtifactBytes => ({ blobs, blobLocks, maxBytes: settings.artifactMaxBytes, reserve });

function startControllers(
  deps: OrderControllerDeps & Pick<HostingDeps, 'dataProxy'> & { readonly platform: Client },
  { workflowArtifacts }: Pick<OrdersOptions, 'workflowArtifacts'>,
): AsyncDisposable {
  const stack = new AsyncDisposableStack();
  stack.use(startHosting({ ...deps, ensureNamespace: name => ensureNamespace(deps.platform, name) }));
  stack.use(startOrderController(deps));
  stack.use(startBorrowing(deps));
  stack.use(startRetention(deps));
  if (workflowArtifacts !== undefined) stack.use(startBlobWorker({ ...deps, workflowArtifacts }));
  return stack;
}

/** Answers 503 and runs no controllers. */
function closedOrders(options: OrdersOptions, registry: OrdersRegistry, stack: AsyncDisposableStack): Orders {
  serveClosed(options);
  const settings = { ...defaultSettings, ...options.settings };
  const unlimited = { grow: () => undefined, [Symbol.dispose]: () => undefined };
  return {
    registry,
    // What tenants have is not known.
    bytes: artifactBytes({ ...options, blobLocks: new KeyedMutex(), settings }, () => unlimited),
    opened: Promise.withResolvers<void>().promise,
    offerings: undefined,
    servesHost: () => false,
    startControllers: () => new AsyncDisposableStack(),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
