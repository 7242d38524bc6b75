import type { AtomicClient } from '@chandlery/client';
import { type Clock, KeyedMutex, type Logger, MetricsRegistry, systemClock } from '@chandlery/platform';
import type { ActionDeps } from './actions/action-deps.ts';
import { createOrdersActions, type OrdersActions } from './actions/orders-actions.ts';
import type { VerifyService } from './actions/services/service-actions.ts';
import { SiteDirectory } from './actions/sites/site-directory.ts';
import { type VerifySiteDeps, verifySite } from './actions/sites/verify-site.ts';
import { TenantBudget } from './actions/tenant-budget.ts';
import { serveClosed } from './closed-orders.ts';
import { startBlobWorker } from './controllers/blobs/blob-worker.ts';
import { startRetention } from './controllers/retention/start-retention.ts';
import { ensureConsumerRole } from './ensure-consumer-role.ts';
import { createOrdersFacade, type OrdersFacadeDeps } from './facade/create-facade.ts';
import { serveSites } from './facade/sites/site-server.ts';
import { addOrdersMetrics } from './metrics.ts';
import { defaultSettings, type OrdersSettings } from './model/tenant-limits.ts';
import type { BlobStore, SiteStore, UploadStore } from './ports.ts';
import { createOrdersRegistry, type OrdersRegistry } from './registry/orders-registry.ts';
import { TenantUsage } from './registry/tenant-usage.ts';

/** What services and orders need from the process that they run in. */
export interface OrdersOptions extends Pick<OrdersFacadeDeps, 'host' | 'findCaller'> {
  /** Of the logical cluster `ordersCluster`. Not disposed of. */
  readonly client: AtomicClient;
  readonly blobs: BlobStore;
  readonly uploads: UploadStore;
  /** Where archives of sites are unpacked. */
  readonly sites: SiteStore;
  /** Names and addresses of the landscape itself, which no site can have. */
  readonly ownHosts: readonly string[];
  /** Checks services before they are stored, besides sites. Default: any controller is accepted. */
  readonly verifyService?: VerifyService;
  /** Returns routes of other parts of the domain. Default none. */
  readonly moreRoutes?: (deps: ActionDeps, actions: OrdersActions) => NonNullable<OrdersFacadeDeps['moreRoutes']>;
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
  /** Whether a host name, in lower case, is that of a site. */
  servesHost(hostName: string): boolean;
  /** Starts the controllers, in the one replica that leads. */
  startControllers(): AsyncDisposable;
}

/** Opens the registry and serves the REST API, before the host listens. */
export async function openOrders(options: OrdersOptions): Promise<Orders> {
  const { client, logger, clock = systemClock } = options;
  await using stack = new AsyncDisposableStack();
  await ensureConsumerRole(client);
  const damage = Promise.withResolvers<void>();
  const registry = stack.use(createOrdersRegistry({ client, clock, logger, onDamage: damage.resolve }));
  const isFilled = await Promise.race([registry.synced.then(() => true), damage.promise.then(() => false)]);
  if (!isFilled) return closedOrders(options, registry, stack.move());
  const deps = actionDeps(options, registry, clock);
  stack.use(deps.usage);
  const { host, findCaller, sites } = options;
  const ownHosts = new Set(options.ownHosts.map(name => name.toLowerCase()));
  const actions = createOrdersActions(deps, { verifyService: verifyAll(options, { ...deps, sites, ownHosts }) });
  const directory = stack.use(new SiteDirectory({ ...deps, sites, ownHosts }));
  serveSites({ host, directory, sites });
  const moreRoutes = options.moreRoutes?.(deps, actions);
  stack.use(createOrdersFacade({ ...deps, host, findCaller, actions, ...(moreRoutes && { moreRoutes }) }));
  const all = stack.move();
  return {
    registry,
    opened: Promise.resolve(),
    servesHost: hostName => directory.isServed(hostName),
    startControllers: () => startControllers(deps),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Sites are checked last, as their archives are unpacked for it. */
function verifyAll({ verifyService }: OrdersOptions, deps: VerifySiteDeps): VerifyService {
  const verify = verifySite(deps);
  return async (spec, tenant, id) => {
    await verifyService?.(spec, tenant, id);
    await verify(spec, tenant, id);
  };
}

function actionDeps(options: OrdersOptions, registry: OrdersRegistry, clock: Clock): ActionDeps {
  const { blobs, uploads, logger, metrics = new MetricsRegistry() } = options;
  const settings = { ...defaultSettings, ...options.settings };
  const usage = new TenantUsage(registry);
  const budget = new TenantBudget(usage, settings, addOrdersMetrics({ metrics, registry, usage }));
  const locks = { blobLocks: new KeyedMutex<string>(), recordLocks: new KeyedMutex<string>() };
  return { registry, usage, budget, blobs, uploads, ...locks, settings, clock, logger };
}

function startControllers(deps: ActionDeps): AsyncDisposable {
  const stack = new AsyncDisposableStack();
  stack.use(startRetention(deps));
  stack.use(startBlobWorker(deps));
  return stack;
}

/** Answers 503 and runs no controllers. */
function closedOrders(options: OrdersOptions, registry: OrdersRegistry, stack: AsyncDisposableStack): Orders {
  serveClosed(options);
  return {
    registry,
    opened: Promise.withResolvers<void>().promise,
    servesHost: () => false,
    startControllers: () => new AsyncDisposableStack(),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
