import type { InternalBroker } from '@chandlery/brokers/kinds';
import type { AtomicClient } from '@chandlery/client';
import type { HttpHost } from '@chandlery/http';
import { type Clock, type Logger, MetricsRegistry, systemClock } from '@chandlery/platform';
import type { ActionDeps } from './actions/action-deps.ts';
import { ensureDefaultProduct } from './actions/configure.ts';
import { createLifecycleActions, type LifecycleActions } from './actions/lifecycle-actions.ts';
import { createOrderActions } from './actions/order-actions.ts';
import { type EmbeddedDnsPort, EmbeddedZones } from './adapters/dns/embedded-zones.ts';
import { ProductMetrics } from './adapters/metrics/product-metrics.ts';
import { type AdapterDeps, ProductAdapterPool } from './adapters/product-adapters.ts';
import { resealClients } from './adapters/sso/resource-client-store.ts';
import { NamespaceTenants } from './adapters/tenants/namespace-tenants.ts';
import type { FleetExtension } from './controllers/fleet-extension.ts';
import { ensureFleetNamespace } from './ensure-namespace.ts';
import type { FleetFacade } from './facade/create-facade.ts';
import { createFleetOfferings } from './facade/offerings/create-fleet-offerings.ts';
import { type FleetSurroundings, serveFleet } from './facade/serve-fleet.ts';
import { addFleetMetrics } from './metrics.ts';
import type { ProductAdapters } from './ports.ts';
import { dinosaursProgram } from './products/dinosaurs/program.ts';
import { createFleetRegistry, type FleetRegistry } from './registry/fleet-registry.ts';
import { type FleetControllerDeps, startFleetControllers } from './start-controllers.ts';

type MetricsChoice = Pick<FleetSurroundings, 'metricsOf' | 'recordMetrics'>;

/** What the fleet manager needs from the process that it runs in. Metrics of instances: default by the configuration. */
export interface FleetOptions extends Omit<FleetSurroundings, keyof MetricsChoice>, Partial<MetricsChoice> {
  /** Of the logical cluster `fleetCluster`. Not disposed of. */
  readonly client: AtomicClient;
  /** Default: the real ones. */
  readonly createLifecycle?: (deps: ActionDeps) => LifecycleActions;
  readonly logger: Logger;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Signs certificates of instances; encrypts the secrets of their clients. Adapters of products need both. */
  readonly keys: Pick<AdapterDeps, 'authority' | 'keyring'>;
  /** Where own metrics go. Default: nowhere. */
  readonly metrics?: MetricsRegistry;
  /** Steps that products add to workers. Default: none. */
  readonly extensions?: readonly FleetExtension[];
}

/** What the controllers need besides, in the process that runs them. */
export type FleetControllerOptions = Pick<
  FleetControllerDeps,
  'platform' | 'installer' | 'landscapeProvider' | 'controllerMetrics' | 'onAuthorityChange'
>;

/** A fleet manager that serves its REST APIs and the embedded DNS zones. */
export interface Fleet extends FleetFacade {
  readonly registry: FleetRegistry;
  /** Resolves when it serves: never when stored objects of its own are damaged, until the next start. */
  readonly opened: Promise<void>;
  /** The products, for the service manager. Undefined: they are not served. */
  readonly offerings: InternalBroker | undefined;
  /** Where the embedded DNS serves. */
  readonly dnsPorts: () => Promise<readonly EmbeddedDnsPort[]>;
  /** The adapters of a product's present configuration. */
  readonly adaptersOf: (productId: string) => Promise<ProductAdapters>;
  /** Starts the workers, in the one replica that leads. */
  startControllers(options: FleetControllerOptions): AsyncDisposable;
}

/** Opens the registry, makes the built-in product and serves the REST APIs, before the host listens. */
export async function openFleet(options: FleetOptions): Promise<Fleet> {
  const { client, createLifecycle = createLifecycleActions, logger, clock = systemClock } = options;
  await using stack = new AsyncDisposableStack();
  await ensureFleetNamespace(client);
  const damage = Promise.withResolvers<void>();
  const registry = stack.use(createFleetRegistry({ client, clock, logger, onDamage: damage.resolve }));
  const isFilled = await Promise.race([registry.synced.then(() => true), damage.promise.then(() => false)]);
  if (!isFilled) return closedFleet(options, registry, stack.move());
  const deps: ActionDeps = { registry, clock, logger };
  await ensureDefaultProduct(deps, { program: dinosaursProgram });
  const metrics = stack.use(new ProductMetrics(deps));
  const tenants = stack.use(new NamespaceTenants({ client, logger }));
  const surroundings = { metricsOf: metrics.sourceOf, recordMetrics: metrics.recorderOf, tenants, ...options };
  const { endPolls } = stack.use(
    await serveFleet(deps, { ...createLifecycle(deps), ...createOrderActions(deps) }, surroundings),
  );
  const zones = stack.use(new EmbeddedZones(deps));
  const adapters = stack.use(new ProductAdapterPool({ ...deps, ...options.keys, client, zones }));
  stack.defer(serveZones(registry, zones, logger));
  let isLeading = false;
  const observer = addFleetMetrics({
    ...deps,
    metrics: options.metrics ?? new MetricsRegistry(),
    isLeading: () => isLeading,
  });
  const all = stack.move();
  return {
    registry,
    opened: Promise.resolve(),
    endPolls,
    dnsPorts: () => zones.listening(),
    offerings: createFleetOfferings({ ...deps, tenants }),
    adaptersOf: adapters.of,
    startControllers: parts => {
      const { extensions = [] } = options;
      const running = startFleetControllers({
        ...deps,
        ...parts,
        client,
        observer,
        extensions,
        adaptersOf: adapters.of,
      });
      isLeading = true;
      resealClients(client, options.keys.keyring).catch((error: unknown) =>
        logger.warn('secrets of SSO clients are still encrypted with an earlier key', { error }),
      );
      return {
        async [Symbol.asyncDispose]() {
          isLeading = false;
          await running[Symbol.asyncDispose]();
        },
      };
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** A fleet manager that answers 503 and runs no workers. */
function closedFleet(options: FleetOptions, registry: FleetRegistry, stack: AsyncDisposableStack): Fleet {
  serveClosed(options);
  return {
    registry,
    opened: Promise.withResolvers<void>().promise,
    endPolls: () => undefined,
    dnsPorts: async () => [],
    offerings: undefined,
    adaptersOf: () => Promise.resolve({ dns: undefined, sso: undefined, certificates: undefined }),
    startControllers: () => new AsyncDisposableStack(),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Every replica serves the embedded zones, whether or not it runs the workers. Returns how to stop. */
function serveZones(registry: FleetRegistry, zones: EmbeddedZones, logger: Logger): () => void {
  const serve = (id: string): void => {
    const dns = registry.configurations.get(id)?.configuration.dns;
    if (dns?.type !== 'embedded') return;
    zones.open(dns).catch((error: unknown) => logger.error('a DNS zone cannot be served', { product: id, error }));
  };
  for (const { id } of registry.products.all()) serve(id);
  return registry.products.listen(({ row }) => serve(row.id));
}

/** What a fleet manager says that cannot read all of its objects. Names none: the client is not known. */
const closedReason =
  'The fleet manager does not serve, because it cannot read all of its objects; see /readyz and the log';
const retryAfterSeconds = 30;

/**
 * Answers 503 in place of the REST APIs: an instance that is missing from the registry would count as deleted, and its
 * name, quota and capacity as free. Other APIs are served.
 */
function serveClosed({ host, logger }: { readonly host: HttpHost; readonly logger: Logger }): void {
  logger.error('the fleet manager does not serve: stored objects of its own are damaged', {
    next: 'stop the server, run "chandlery store verify", and restore a backup',
  });
  host.app.all('/api/*', (_request, reply) => {
    void reply
      .code(503)
      .header('retry-after', retryAfterSeconds)
      .send({ id: '503', kind: 'Error', reason: closedReason });
  });
}
