import type { AtomicClient } from '@chandlery/client';
import { type Clock, silentLogger, systemClock } from '@chandlery/platform';
import { startTestPlane } from '@chandlery/testing';
import type { ActionDeps } from './actions/action-deps.ts';
import { configure } from './actions/configure.ts';
import type { CreateInstanceRequest, FleetCaller } from './actions/fleet-actions.ts';
import { createOrderActions } from './actions/order-actions.ts';
import { ensureFleetNamespace } from './ensure-namespace.ts';
import { fleetKinds } from './kinds/index.ts';
import { exampleDocument } from './model/configuration/test-document.ts';
import { type ConfiguredProduct, createFleetRegistry, type InstanceRow } from './registry/fleet-registry.ts';

type Document = Record<string, unknown>;

/** A replica of the fleet manager without REST and workers. */
export interface TestReplica {
  readonly deps: ActionDeps;
  product(id?: string): ConfiguredProduct;
  /** Puts the example document into force, with other settings and sections. */
  configure(sections?: Document & { settings?: Document }): Promise<void>;
  /** Orders a standard instance for `zoe` of 13640203, who may have five, unless said otherwise. */
  create(name: string, changes?: OrderChanges): Promise<InstanceRow>;
}

export interface OrderChanges extends Partial<CreateInstanceRequest>, Partial<FleetCaller> {}

/** A plane with one or more replicas. */
export interface TestFleet extends AsyncDisposable, TestReplica {
  readonly client: AtomicClient;
  /** Opens another one on the same plane. The fleet disposes of it. */
  addReplica(): Promise<TestReplica>;
}

/** Starts one: `await using fleet = await startTestFleet()`. Nothing is configured. */
export async function startTestFleet(options: { readonly clock?: Clock } = {}): Promise<TestFleet> {
  const { clock = systemClock } = options;
  await using stack = new AsyncDisposableStack();
  const kinds = Object.values(fleetKinds).map(({ declaration }) => declaration);
  const { client } = stack.use(await startTestPlane({ clock, kinds }));
  await ensureFleetNamespace(client);
  const replicas = stack.use(new AsyncDisposableStack());
  const addReplica = async (): Promise<TestReplica> => {
    const registry = replicas.use(createFleetRegistry({ client, clock }));
    await registry.synced;
    return replicaOf({ registry, clock, logger: silentLogger });
  };
  const first = await addReplica();
  const all = stack.move();
  return { ...first, client, addReplica, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

function replicaOf(deps: ActionDeps): TestReplica {
  const actions = createOrderActions(deps);
  const product = (id = 'dinosaurs'): ConfiguredProduct => {
    const found = deps.registry.configurations.get(id);
    if (found === undefined) throw new Error(`there is no product ${id}`);
    return found;
  };
  return {
    deps,
    product,
    configure: async (sections = {}) => {
      const { settings } = exampleDocument() as { settings: Document };
      const document = exampleDocument({ ...sections, settings: { ...settings, ...sections.settings } });
      await configure(deps, { document, username: 'operator' });
    },
    create: (name, changes = {}) => {
      const caller = { username: 'zoe', organisation: '13640203', accountId: undefined, isOrganisationAdmin: false };
      const nothing = { cloudProvider: undefined, region: undefined, multiAz: undefined, plan: undefined };
      const order = { ...caller, ...nothing, ...changes, name };
      return actions.create(product(), order, order);
    },
  };
}
