import { createLogger, type Logger } from '@chandlery/platform';
import { eventually } from '@chandlery/testing';
import { createBrokerConnections } from '../../adapters/broker-connections/broker-connections.ts';
import { newOperation } from '../../model/operations/new-operation.ts';
import { enginePaths, isEnded } from '../../model/operations/operation-state.ts';
import { createRow, type OperationRow, type PlanRow, type Registry, type RegistryWrite } from '../../model/rows.ts';
import type { BrokerConnections } from '../../ports.ts';
import { type BrokerSettings, defaultBrokerSettings } from '../../settings.ts';
import {
  type ScriptedBroker,
  type ScriptedBrokerOptions,
  startScriptedBroker,
} from '../../test-broker/scripted-broker.ts';
import { seedOffering, seedPlan, seedRow, startTestRegistry, type TestRegistry } from '../../test-registry.ts';
import { type OperationEngineOptions, startOperationEngine } from './start-operation-engine.ts';

/** A registry, a broker that is registered in it, and engines that can come and go. */
export interface TestEngine extends AsyncDisposable {
  readonly registry: Registry;
  readonly test: TestRegistry;
  readonly broker: ScriptedBroker;
  readonly brokerId: string;
  readonly connections: BrokerConnections;
  readonly settings: BrokerSettings;
  readonly logger: Logger;
  /** A plan by the names of its offering and itself. */
  plan(offering: string, name: string): PlanRow;
  /** Starts an engine. It stops with the world, or before. */
  engine(options?: Partial<OperationEngineOptions>): AsyncDisposable;
  /** The operation when nothing more will happen. */
  ended(id: string): Promise<OperationRow>;
}

const quickSettings: BrokerSettings = {
  ...defaultBrokerSettings,
  pollingIntervalMs: 5,
  mitigationIntervalMs: 5,
  mitigationLongIntervalMs: 20,
};

export const tenant = 'service-manager';

/** Starts one: `await using world = await startEngineWorld()`. */
export async function startTestEngine(
  options: { readonly settings?: Partial<BrokerSettings>; readonly broker?: ScriptedBrokerOptions } = {},
): Promise<TestEngine> {
  await using stack = new AsyncDisposableStack();
  const test = stack.use(await startTestRegistry());
  const broker = stack.use(await startScriptedBroker(options.broker));
  const { registry } = test;
  const settings = { ...quickSettings, ...options.settings };
  const logger = createLogger({ write: () => undefined });
  const connections = stack.use(createBrokerConnections({ registry, internalBrokers: new Map(), settings, logger }));
  const brokerId = await seedScripted(registry, broker);
  const all = stack.move();
  return {
    registry,
    test,
    broker,
    brokerId,
    connections,
    settings,
    logger,
    plan: (offering, name) => findPlan(registry, offering, name),
    engine: more => all.use(startOperationEngine({ registry, connections, settings, logger, graceMs: 0, ...more })),
    ended: id => eventually(() => endedRow(registry, id), { what: `the end of operation ${id}` }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

const endedRow = (registry: Registry, id: string): OperationRow | undefined => {
  const row = registry.operations.get(id);
  return row !== undefined && isEnded(row) ? row : undefined;
};

async function seedScripted(registry: Registry, { url }: ScriptedBroker): Promise<string> {
  const id = registry.newId();
  await registry.commit([
    { type: 'put-secret', tenant, name: `broker-${id}`, data: { username: 'admin', password: 'broker-password' } },
  ]);
  const limits = { timeoutMs: 300, breakAfterFailures: 0 };
  await seedRow(registry, 'brokers', {
    id,
    spec: { name: 'scripted', url, credentialsSecret: `broker-${id}`, limits },
  });
  const database = await offering(registry, id, { name: 'database', retrievable: true });
  const queue = await offering(registry, id, { name: 'queue', retrievable: false });
  for (const name of ['sync', 'async', 'slow', 'shared', 'rotatable'])
    await plan(registry, id, { offering: database, of: 'database', name });
  for (const name of ['sync', 'async']) await plan(registry, id, { offering: queue, of: 'queue', name });
  return id;
}

async function offering(
  registry: Registry,
  brokerId: string,
  { name, retrievable }: { name: string; retrievable: boolean },
): Promise<string> {
  const names = { catalogId: `${name}-id`, catalogName: name, name };
  const flags = { bindingsRetrievable: retrievable, instancesRetrievable: retrievable, planUpdateable: true };
  return (await seedOffering(registry, { spec: { brokerId, ...names, ...flags } })).id;
}

const plan = (
  registry: Registry,
  brokerId: string,
  { offering: offeringId, of, name }: { offering: string; of: string; name: string },
) => seedPlan(registry, { spec: { brokerId, offeringId, catalogId: `${of}-${name}`, catalogName: name, name } });

function findPlan(registry: Registry, offeringName: string, name: string): PlanRow {
  for (const row of registry.plans.by('name', name)) {
    if (registry.offerings.get(row.spec.offeringId)?.spec.name === offeringName) return row;
  }
  throw new Error(`no plan ${offeringName}/${name}`);
}

type OperationExtras = Partial<Parameters<typeof newOperation>[0]>;

/** Orders an instance as the API does: row and operation at once. */
export async function orderInstance(
  world: TestEngine,
  plan: PlanRow,
  extras: OperationExtras & { parameters?: object; id?: string } = {},
) {
  const { registry } = world;
  const { parameters, ...rest } = extras;
  const id = registry.newId();
  const spec = { name: `instance-${id}`, planId: plan.id, platformId: 'service-manager' };
  const row = createRow({ table: 'instances', id, tenant, spec, status: { ready: false, usable: false } });
  return { id, operationId: await order(world, { type: 'create', resourceId: id, parameters, ...rest }, [row]) };
}

/** Orders a binding as the API does. */
export async function orderBinding(
  world: TestEngine,
  instanceId: string,
  extras: OperationExtras & { parameters?: object; spec?: object } = {},
) {
  const { registry } = world;
  const { parameters, spec, ...rest } = extras;
  const id = registry.newId();
  const row = createRow({
    table: 'bindings',
    id,
    tenant,
    spec: { name: `binding-${id}`, instanceId, ...spec },
    status: { ready: false },
  });
  const resourceType = enginePaths.bindings;
  return {
    id,
    operationId: await order(world, { type: 'create', resourceType, resourceId: id, parameters, ...rest }, [row]),
  };
}

/** Orders whatever else. Answers the id of the operation. */
export async function order(
  { registry }: TestEngine,
  order: OperationExtras & {
    type: 'create' | 'update' | 'delete';
    resourceId: string;
    parameters?: object | undefined;
  },
  writes: readonly RegistryWrite[] = [],
): Promise<string> {
  const { parameters, change, ...rest } = order;
  const name = registry.newId();
  const withParameters = parameters === undefined ? change : { ...change, parametersSecret: name };
  const { id, write } = newOperation({
    registry,
    resourceType: enginePaths.instances,
    tenant,
    state: 'in progress',
    status: { user: { username: 'ann' } },
    ...rest,
    ...(withParameters === undefined ? {} : { change: withParameters }),
  });
  const secret: RegistryWrite[] =
    parameters === undefined
      ? []
      : [{ type: 'put-secret', tenant, name, data: { parameters: JSON.stringify(parameters) } }];
  await registry.commit([...writes, write, ...secret]);
  return id;
}
