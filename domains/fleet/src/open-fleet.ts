import type { AtomicClient } from '@chandlery/client';
import { type Clock, type Logger, systemClock } from '@chandlery/platform';
import type { ActionDeps } from './actions/action-deps.ts';
import { ensureDefaultProduct } from './actions/configure.ts';
import { createLifecycleActions, type LifecycleActions } from './actions/lifecycle-actions.ts';
import { createOrderActions } from './actions/order-actions.ts';
import { ensureFleetNamespace } from './ensure-namespace.ts';
import type { FleetFacade } from './facade/create-facade.ts';
import { type FleetSurroundings, serveFleet } from './facade/serve-fleet.ts';
import { createFleetRegistry, type FleetRegistry } from './registry/fleet-registry.ts';

/** What the fleet manager needs from the process that it runs in. */
export interface FleetOptions extends FleetSurroundings {
  /** Of the logical cluster `fleetCluster`. Not disposed of. */
  readonly client: AtomicClient;
  /** Default: the real ones. */
  readonly createLifecycle?: (deps: ActionDeps) => LifecycleActions;
  readonly logger: Logger;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

/** A fleet manager that serves its REST APIs. */
export interface Fleet extends FleetFacade {
  readonly registry: FleetRegistry;
}

/** Opens the registry, makes the built-in product and serves the REST APIs, before the host listens. */
export async function openFleet(options: FleetOptions): Promise<Fleet> {
  const { client, createLifecycle = createLifecycleActions, logger, clock = systemClock } = options;
  await using stack = new AsyncDisposableStack();
  await ensureFleetNamespace(client);
  const registry = stack.use(createFleetRegistry({ client, clock, logger }));
  await registry.synced;
  const deps: ActionDeps = { registry, clock, logger };
  await ensureDefaultProduct(deps);
  const { endPolls } = stack.use(serveFleet(deps, { ...createLifecycle(deps), ...createOrderActions(deps) }, options));
  const all = stack.move();
  return { registry, endPolls, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
