import type { AtomicClient } from '@chandlery/client';
import type { HttpHost } from '@chandlery/http';
import { type Clock, type Logger, systemClock } from '@chandlery/platform';
import type { ActionDeps } from './actions/action-deps.ts';
import { createAuditStore } from './actions/audit-store.ts';
import { availableSizes } from './actions/available-sizes.ts';
import { configure, ensureDefaultProduct } from './actions/configure.ts';
import type { FleetActions } from './actions/fleet-actions.ts';
import { createOrderActions } from './actions/order-actions.ts';
import { ensureFleetNamespace } from './ensure-namespace.ts';
import { createFleetFacade, type FleetFacadeDeps } from './facade/create-facade.ts';
import type { FleetConfigurator, ProductCatalog } from './facade/handlers/facade-deps.ts';
import { createFleetRegistry, documentOf, type FleetRegistry } from './registry/fleet-registry.ts';

/** Use cases that move instances and clusters from state to state. */
export type LifecycleActions = Omit<FleetActions, 'create' | 'changeOwner' | 'userSeen'>;

/** What the fleet manager needs from the process that it runs in. */
export interface FleetOptions
  extends Pick<FleetFacadeDeps, 'verifyBearer' | 'findOperator' | 'askTerms' | 'ownTokens' | 'metricsOf'> {
  /** Of the logical cluster `fleetCluster`. Not disposed of. */
  readonly client: AtomicClient;
  readonly host: HttpHost;
  readonly createLifecycle: (deps: ActionDeps) => LifecycleActions;
  readonly logger: Logger;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

/** A fleet manager that serves its REST APIs. */
export interface Fleet extends AsyncDisposable {
  readonly registry: FleetRegistry;
}

/** Opens the registry, makes the built-in product and serves the REST APIs, before the host listens. */
export async function openFleet(options: FleetOptions): Promise<Fleet> {
  const { client, logger, clock = systemClock } = options;
  await using stack = new AsyncDisposableStack();
  await ensureFleetNamespace(client);
  const registry = stack.use(createFleetRegistry({ client, clock, logger }));
  await registry.synced;
  const deps: ActionDeps = { registry, clock, logger };
  await ensureDefaultProduct(deps);
  stack.use(
    createFleetFacade({
      ...options,
      tables: registry,
      products: catalogOf(registry),
      actions: { ...options.createLifecycle(deps), ...createOrderActions(deps) },
      capacity: { availableSizes: (product, place) => availableSizes(deps, product, place) },
      configurator: configuratorOf(deps),
      auditStore: createAuditStore(registry),
      newOperationId: () => registry.newFleetId(),
      clock,
    }),
  );
  const all = stack.move();
  return { registry, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

const catalogOf = ({ products, configurations }: FleetRegistry): ProductCatalog => ({
  find: id => configurations.get(id),
  *all() {
    for (const { id } of products.all()) {
      const product = configurations.get(id);
      if (product !== undefined) yield product;
    }
  },
});

const configuratorOf = (deps: ActionDeps): FleetConfigurator => ({
  configure: async (document, username) => {
    const { productId, warnings } = await configure(deps, { document, username });
    return { product: productId, warnings };
  },
  documentOf: id => {
    const row = deps.registry.products.get(id);
    return row && documentOf(row);
  },
});
