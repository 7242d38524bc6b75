import type { AtomicClient } from '@chandlery/client';
import type { Clock } from '@chandlery/platform';
import { startTestPlane, type TestPlane } from '@chandlery/testing';
import { brokerKinds, globalTenant, ownPlatformId } from './kinds/index.ts';
import {
  type BindingRow,
  type BrokerRow,
  createRow,
  type InstanceRow,
  type OfferingRow,
  type OperationRow,
  type PlanRow,
  type PlatformRow,
  type Registry,
  type RowOf,
  type TableName,
  type VisibilityRow,
} from './model/rows.ts';
import { createRegistry } from './registry/create-registry.ts';

/** A filled registry on a plane of its own, with the namespace of the landscape. */
export interface TestRegistry extends AsyncDisposable {
  readonly registry: Registry;
  /** Of the logical cluster that holds everything. */
  readonly client: AtomicClient;
  readonly plane: TestPlane;
}

/** Starts one: `await using test = await startTestRegistry()`. */
export async function startTestRegistry(options: { readonly clock?: Clock } = {}): Promise<TestRegistry> {
  await using stack = new AsyncDisposableStack();
  const kinds = Object.values(brokerKinds).map(({ declaration }) => declaration);
  const plane = stack.use(await startTestPlane({ ...options, kinds }));
  const { client } = plane;
  await seedTenant(client, globalTenant);
  const registry = stack.use(createRegistry({ client, ...options }));
  await registry.synced;
  const all = stack.move();
  return { registry, client, plane, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Makes the namespace of a tenant. */
export async function seedTenant(client: AtomicClient, name: string): Promise<void> {
  const ref = { group: '', version: 'v1', plural: 'namespaces' };
  await client.create(ref, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}

/** What a row is made of. */
export interface Seed<T extends TableName> {
  /** Default: a new one. */
  readonly id?: string;
  /** Default: the landscape's own. */
  readonly tenant?: string;
  readonly spec?: Partial<RowOf[T]['spec']>;
  /** Default: ready. */
  readonly status?: RowOf[T]['status'];
}

/** Commits a new row and answers it as the table shows it. */
export async function seedRow<T extends TableName>(
  registry: Registry,
  table: T,
  { id = registry.newId(), tenant = globalTenant, spec, status }: Seed<T> & { readonly spec: RowOf[T]['spec'] },
): Promise<RowOf[T]> {
  const write = { table, id, tenant, spec, status: { ready: true, ...status } as RowOf[T]['status'] };
  await registry.commit([createRow<T>(write)]);
  return registry[table].get(id) as RowOf[T];
}

/** A platform; a Kubernetes one if not said otherwise. */
export function seedPlatform(registry: Registry, seed: Seed<'platforms'> = {}): Promise<PlatformRow> {
  const id = seed.id ?? registry.newId();
  return seedRow(registry, 'platforms', {
    ...seed,
    id,
    spec: { name: `platform-${id}`, type: 'kubernetes', ...seed.spec },
  });
}

/** An offering; its broker need not be there. */
export function seedOffering(registry: Registry, seed: Seed<'offerings'> = {}): Promise<OfferingRow> {
  const id = seed.id ?? registry.newId();
  const names = { catalogId: `catalog-${id}`, catalogName: `offering-${id}`, name: `offering-${id}` };
  const spec = { brokerId: 'some-broker', bindable: true, ...names, ...seed.spec };
  return seedRow(registry, 'offerings', { ...seed, id, spec });
}

/** A plan; its offering and broker need not be there. */
export function seedPlan(registry: Registry, seed: Seed<'plans'> = {}): Promise<PlanRow> {
  const id = seed.id ?? registry.newId();
  const names = { catalogId: `catalog-${id}`, catalogName: `plan-${id}`, name: `plan-${id}` };
  const spec = { brokerId: 'some-broker', offeringId: 'some-offering', free: true, ...names, ...seed.spec };
  return seedRow(registry, 'plans', { ...seed, id, spec });
}

/** A visibility, public unless a platform is named. */
export function seedVisibility(
  registry: Registry,
  seed: Seed<'visibilities'> & { readonly spec: { readonly planId: string } },
): Promise<VisibilityRow> {
  return seedRow(registry, 'visibilities', seed);
}

/** An instance of a plan, made here if no platform is said. */
export function seedInstance(registry: Registry, seed: Seed<'instances'> = {}): Promise<InstanceRow> {
  const id = seed.id ?? registry.newId();
  const spec = { name: `instance-${id}`, planId: 'some-plan', platformId: ownPlatformId, ...seed.spec };
  return seedRow(registry, 'instances', { ...seed, id, spec, status: { usable: true, ...seed.status } });
}

/** A binding of an instance. */
export function seedBinding(
  registry: Registry,
  seed: Seed<'bindings'> & { readonly spec: { readonly instanceId: string } },
): Promise<BindingRow> {
  const id = seed.id ?? registry.newId();
  return seedRow(registry, 'bindings', { ...seed, id, spec: { name: `binding-${id}`, ...seed.spec } });
}

/** An operation, pending if not said otherwise. */
export function seedOperation(
  registry: Registry,
  seed: Seed<'operations'> & { readonly spec: { readonly resourceId: string } },
): Promise<OperationRow> {
  const spec = {
    type: 'create',
    resourceType: '/v1/service_instances',
    platformId: ownPlatformId,
    ...seed.spec,
  } as const;
  return seedRow(registry, 'operations', { ...seed, spec, status: { state: 'pending', ...seed.status } });
}

/** A service of a catalog, as far as tests need it. */
export interface SeedService {
  readonly id: string;
  readonly name: string;
  readonly plans: readonly { readonly id: string; readonly name: string }[];
}

/** A broker with what it offers. */
export interface SeededBroker {
  readonly broker: BrokerRow;
  readonly offerings: readonly OfferingRow[];
  readonly plans: readonly PlanRow[];
}

const defaultCatalog: readonly SeedService[] = [
  {
    id: 'postgres-id',
    name: 'postgres',
    plans: [
      { id: 'small-id', name: 'small' },
      { id: 'large-id', name: 'large' },
    ],
  },
];

/** A broker with offerings and plans. Default catalog: `postgres` with `small` and `large`. */
export async function seedBroker(
  registry: Registry,
  seed: Seed<'brokers'> & { readonly catalog?: readonly SeedService[] } = {},
): Promise<SeededBroker> {
  const { catalog = defaultCatalog, ...rest } = seed;
  const id = seed.id ?? registry.newId();
  const spec = { name: `broker-${id}`, url: 'http://127.0.0.1:1', ...seed.spec };
  const status = { catalog: { services: structuredClone(catalog) as never }, ...seed.status };
  const broker = await seedRow(registry, 'brokers', { ...rest, id, spec, status });
  const offerings: OfferingRow[] = [];
  const plans: PlanRow[] = [];
  for (const service of catalog) {
    const offering = await seedOffering(registry, { tenant: broker.tenant, spec: catalogSpec(id, service) });
    offerings.push(offering);
    for (const plan of service.plans) {
      const planSpec = { offeringId: offering.id, ...catalogSpec(id, plan) };
      plans.push(await seedPlan(registry, { tenant: broker.tenant, spec: planSpec }));
    }
  }
  return { broker, offerings, plans };
}

const catalogSpec = (brokerId: string, { id, name }: { readonly id: string; readonly name: string }) => ({
  brokerId,
  catalogId: id,
  catalogName: name,
  name,
});
