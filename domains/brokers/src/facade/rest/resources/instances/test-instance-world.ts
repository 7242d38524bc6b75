import type { JsonObject } from '@chandlery/api';
import { silentLogger } from '@chandlery/platform';
import { createBrokerConnections } from '../../../../adapters/broker-connections/broker-connections.ts';
import { startOperationEngine } from '../../../../controllers/operations/start-operation-engine.ts';
import type { OfferingRow, PlanRow, Registry } from '../../../../model/rows.ts';
import type { BrokerConnections, Caller } from '../../../../ports.ts';
import { type BrokerSettings, defaultBrokerSettings } from '../../../../settings.ts';
import type { CatalogPlan } from '../../../../test-broker/default-catalog.ts';
import { defaultCatalog } from '../../../../test-broker/default-catalog.ts';
import { type ScriptedBroker, startScriptedBroker } from '../../../../test-broker/scripted-broker.ts';
import { seedOffering, seedPlan, seedRow, seedTenant, startTestRegistry } from '../../../../test-registry.ts';
import type { ResourceHandler, SmRequest } from '../../resource-handler.ts';
import type { Removal } from '../../shared/check-force.ts';
import { createCascadeStart } from '../../shared/start-cascade.ts';
import { createBindingHandler } from '../bindings/binding-handler.ts';
import { createInstanceHandler } from './instance-handler.ts';

/** The caller of most tests. */
export const operator: Caller = { type: 'operator', username: 'admin' };

/** A user who may do everything in the tenant `acme` and nothing elsewhere. */
export const user: Caller = {
  type: 'user',
  username: 'eve',
  may: (_verb, _plural, tenant) => tenant === 'acme',
  tenants: () => ['acme'],
};

/** Handlers over a real registry, a real broker and the real engine. */
export interface TestInstances extends AsyncDisposable {
  readonly registry: Registry;
  readonly broker: ScriptedBroker;
  readonly instances: Required<
    Pick<ResourceHandler<'instances'>, 'create' | 'patch' | 'remove' | 'parameters' | 'actions' | 'view'>
  >;
  readonly bindings: Required<Pick<ResourceHandler<'bindings'>, 'create' | 'patch' | 'remove' | 'parameters' | 'view'>>;
  /** Platforms that are said to be connected. */
  readonly connected: Set<string>;
}

/** How a world is made. */
export interface TestInstancesOptions {
  readonly settings?: Partial<BrokerSettings>;
  /** Default true. */
  readonly hasEngine?: boolean;
}

/** Starts one. Plans have the ids of the scripted broker's catalog (`database-sync`), and there is a tenant `acme`. */
export async function startTestInstances(options: TestInstancesOptions = {}): Promise<TestInstances> {
  await using stack = new AsyncDisposableStack();
  const { registry, client } = stack.use(await startTestRegistry());
  await seedTenant(client, 'acme');
  const broker = stack.use(await startScriptedBroker());
  await seedCatalog(registry, broker.url);
  const settings = { ...defaultBrokerSettings, pollingIntervalMs: 10, mitigationIntervalMs: 10, ...options.settings };
  const logger = silentLogger;
  const connections = stack.use(createBrokerConnections({ registry, internalBrokers: new Map(), settings, logger }));
  if (options.hasEngine ?? true) stack.use(startOperationEngine({ registry, connections, settings, logger }));
  const parts = handlersOf({ registry, connections, settings });
  const all = stack.move();
  return { registry, broker, ...parts, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

function handlersOf(deps: {
  readonly registry: Registry;
  readonly connections: BrokerConnections;
  readonly settings: BrokerSettings;
}) {
  const connected = new Set<string>();
  const isConnected = ({ id }: { readonly id: string }) => connected.has(id);
  const startCascade = createCascadeStart({ registry: deps.registry, isConnected });
  const instances = createInstanceHandler({ ...deps, startCascade }) as TestInstances['instances'];
  const bindings = createBindingHandler({ ...deps, startCascade }) as TestInstances['bindings'];
  return { instances, bindings, connected };
}

/** A request of the operator, if nothing else is said. */
export function request(body: JsonObject = {}, more: Partial<Removal> = {}): Removal {
  return {
    caller: operator,
    tenant: 'service-manager',
    mode: 'undefined',
    correlationId: 'correlation',
    query: new URLSearchParams(),
    signal: AbortSignal.timeout(20_000),
    requestHash: 'hash',
    isCascade: false,
    isForced: false,
    body,
    ...more,
  } satisfies SmRequest & Removal;
}

async function seedCatalog(registry: Registry, url: string): Promise<void> {
  const data = { username: 'admin', password: 'broker-password' };
  await registry.commit([{ type: 'put-secret', tenant: 'service-manager', name: 'broker-b', data }]);
  await seedRow(registry, 'brokers', { id: 'b', spec: { name: 'scripted', url, credentialsSecret: 'broker-b' } });
  for (const service of defaultCatalog().services) {
    const offering = await seedOffering(registry, {
      id: service.name,
      spec: {
        brokerId: 'b',
        catalogId: service.id,
        catalogName: service.name,
        name: service.name,
        bindable: service.name === 'database' || service.name === 'queue',
        instancesRetrievable: service.name === 'database',
        bindingsRetrievable: service.name === 'database',
        allowContextUpdates: service.name === 'database',
      },
    });
    for (const plan of service.plans) await seedCatalogPlan(registry, offering, plan);
  }
  await seedReferencePlan(registry);
}

function seedCatalogPlan(registry: Registry, offering: OfferingRow, plan: CatalogPlan): Promise<PlanRow> {
  const { id, name, bindable, binding_rotatable: bindingRotatable, metadata } = plan;
  const spec = {
    brokerId: 'b',
    offeringId: offering.id,
    catalogId: id,
    catalogName: name,
    name,
    ...(bindable === undefined ? {} : { bindable }),
    ...(bindingRotatable === undefined ? {} : { bindingRotatable }),
    ...(metadata === undefined ? {} : { metadata: metadata as Record<string, unknown> }),
  };
  return seedPlan(registry, { id, spec });
}

const seedReferencePlan = (registry: Registry): Promise<PlanRow> =>
  seedPlan(registry, {
    id: 'reference',
    spec: { brokerId: 'b', offeringId: 'database', name: 'reference-instance', isReference: true, bindable: true },
  });
