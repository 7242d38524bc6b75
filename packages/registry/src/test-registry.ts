import { defineKind, type KubeObject, type ObjectOf } from '@chandlery/api';
import type { AtomicClient } from '@chandlery/client';
import { startTestPlane } from '@chandlery/testing';
import { Type } from 'typebox';
import { createRegistry, type RegistryOptions } from './create-registry.ts';
import type { Registry, RowsOf } from './registry.ts';
import type { Row } from './row.ts';
import { rowWriters } from './row-writes.ts';
import { defineTable } from './table-definition.ts';

const times = { createdAt: Type.Optional(Type.String()), updatedAt: Type.Optional(Type.String()) };
const uniqueId = {
  name: 'id',
  within: 'cluster',
  values: ({ metadata }: KubeObject) => [metadata.name ?? ''],
} as const;

/** A namespaced kind, whose objects are held by the registry's finalizer. */
export const ships = defineKind({
  group: 'harbour.test',
  version: 'v1',
  kind: 'Ship',
  description: 'A ship.',
  spec: Type.Object({
    name: Type.String(),
    home: Type.Optional(Type.String()),
    flags: Type.Optional(Type.Array(Type.String())),
  }),
  status: Type.Object({ ...times, cargo: Type.Optional(Type.String()) }),
  nameRule: 'path-segment',
  uniqueKeys: [uniqueId, { name: 'name', within: 'cluster', values: ({ spec }) => [spec.name] }],
});

/** A cluster-scoped kind. */
export const harbours = defineKind({
  group: 'harbour.test',
  version: 'v1',
  kind: 'Harbour',
  scope: 'Cluster',
  description: 'A harbour.',
  spec: Type.Object({ country: Type.String() }),
  status: Type.Object({ ...times, berths: Type.Optional(Type.Number()) }),
});

export type ShipRow = Row<ObjectOf<typeof ships>>;
export type HarbourRow = Row<ObjectOf<typeof harbours>>;

export const tables = {
  ships: defineTable({
    kind: ships,
    isHeld: true,
    indexes: {
      tenant: ({ tenant }) => tenant,
      name: ({ spec }) => spec.name,
      home: ({ spec }) => spec.home,
      flag: ({ spec }) => spec.flags,
    },
  }),
  harbours: defineTable({ kind: harbours, indexes: { country: ({ spec }) => spec.country } }),
};

export type TestTables = typeof tables;
export type PortRegistry = Registry<TestTables>;

export const { createRow, updateRow, removeRow, checkRow } = rowWriters<RowsOf<TestTables>>();

export const finalizer = 'harbour.test/registry';
export const managedLabel = 'harbour.test/managed';

/** Opens a registry of ships and harbours. */
export const openRegistry = (
  options: Partial<RegistryOptions<TestTables>> & { readonly client: AtomicClient },
): PortRegistry => createRegistry({ tables, finalizer, managedLabel, owner: 'the harbour master', ...options });

/** A filled registry on a plane of its own, with the namespaces `acme` and `globex`. */
export interface TestRegistry extends AsyncDisposable {
  readonly registry: PortRegistry;
  readonly client: AtomicClient;
}

/** Starts one: `await using test = await startTestRegistry()`. */
export async function startTestRegistry(): Promise<TestRegistry> {
  await using stack = new AsyncDisposableStack();
  const { client } = stack.use(await startTestPlane({ kinds: [ships.declaration, harbours.declaration] }));
  const namespaces = { group: '', version: 'v1', plural: 'namespaces' };
  for (const name of ['acme', 'globex'])
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const registry = stack.use(openRegistry({ client }));
  await registry.synced;
  const all = stack.move();
  return { registry, client, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** What a ship is made of. */
interface ShipSeed {
  /** Default: a new one. */
  readonly id?: string;
  /** Default `acme`. */
  readonly tenant?: string;
  readonly spec?: Partial<ShipRow['spec']>;
  readonly status?: ShipRow['status'];
}

/** Commits a new ship and returns it as the table shows it. */
export async function seedShip(registry: PortRegistry, seed: ShipSeed = {}): Promise<ShipRow> {
  const { id = registry.newId(), tenant = 'acme', status = {} } = seed;
  const spec = { name: `ship-${id}`, ...seed.spec };
  await registry.commit([createRow({ table: 'ships', id, tenant, spec, status })]);
  return registry.ships.get(id) as ShipRow;
}

/** Returns where the object of a ship is. */
export const shipAt = (name: string, namespace = 'acme') => ({ ...ships.ref, namespace, name });
