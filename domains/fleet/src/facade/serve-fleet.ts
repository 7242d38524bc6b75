import type { ActionDeps } from '../actions/action-deps.ts';
import { createAuditStore } from '../actions/audit-store.ts';
import { availableSizes } from '../actions/available-sizes.ts';
import { configure } from '../actions/configure.ts';
import type { FleetActions } from '../actions/fleet-actions.ts';
import { createOperatorActions } from '../actions/operator-actions.ts';
import { documentOf, type FleetRegistry } from '../registry/fleet-registry.ts';
import { createFleetFacade, type FleetFacade, type FleetFacadeDeps } from './create-facade.ts';
import type { FleetConfigurator, ProductCatalog } from './handlers/facade-deps.ts';

/** What the REST APIs need from the process that they run in. */
export type FleetSurroundings = Pick<
  FleetFacadeDeps,
  | 'host'
  | 'verifyBearer'
  | 'findOperator'
  | 'askTerms'
  | 'landscapeTokens'
  | 'metricsOf'
  | 'recordMetrics'
  | 'recordAudit'
>;

/** Serves the REST APIs on a registry that is filled, before the host listens. */
export function serveFleet(
  deps: ActionDeps,
  actions: FleetActions,
  surroundings: FleetSurroundings & Pick<FleetFacadeDeps, 'tenants'>,
): Promise<FleetFacade> {
  const { registry } = deps;
  return createFleetFacade({
    ...surroundings,
    ...deps,
    tables: registry,
    products: catalogOf(registry),
    actions,
    operatorActions: createOperatorActions(deps),
    capacity: { availableSizes: (product, place) => availableSizes(deps, product, place) },
    configurator: configuratorOf(deps),
    auditStore: createAuditStore(registry),
    newOperationId: () => registry.newFleetId(),
  });
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
