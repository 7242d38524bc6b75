import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { FleetError } from '../errors.ts';
import { fleetNamespace } from '../kinds/index.ts';
import { createRow, removeRow } from '../registry/fleet-registry.ts';
import { rejectsFleetError } from '../test-errors.ts';
import { startTestFleet, type TestReplica } from '../test-fleet.ts';
import { createInstance } from './create-instance.ts';

type Document = Record<string, unknown>;
type Settled = PromiseSettledResult<unknown>;

const competitors = 20;
const names = Array.from({ length: competitors }, (_, index) => `rex-${index}`);

const region = (limits: Document) => ({
  supported_providers: [
    { name: 'aws', regions: [{ name: 'eu-central-1', supported_instance_type: { standard: limits } }] },
  ],
});
const cluster = (changes: Document) => ({
  clusters: [
    { cluster_id: 'c', cloud_provider: 'aws', region: 'eu-central-1', multi_az: true, status: 'ready', ...changes },
  ],
});
const quota = (limit: number) => ({
  registered_users_per_organisation: [{ id: '13640203', any_user: true, max_allowed_instances: limit }],
});

const order = {
  caller: { username: 'zoe', organisation: '13640203', accountId: undefined, isOrganisationAdmin: false },
  request: { name: 'rex', cloudProvider: undefined, region: undefined, multiAz: undefined, plan: undefined },
};

const races: readonly { what: string; sections: Document; code: number; sameName?: boolean }[] = [
  { what: 'the last quota unit', sections: { ...region({}), ...cluster({}), ...quota(1) }, code: 5 },
  { what: 'the last unit of a region', sections: { ...region({ limit: 1 }), ...cluster({}), ...quota(99) }, code: 24 },
  {
    what: 'the last unit of a cluster',
    sections: { ...region({}), ...cluster({ instance_limit: 1 }), ...quota(99) },
    code: 24,
  },
  { what: 'one name', sections: { ...region({}), ...cluster({}), ...quota(99) }, code: 36, sameName: true },
];

for (const { what, sections, code, sameName = false } of races) {
  const orderAll = (replicas: readonly TestReplica[]) =>
    Promise.allSettled(
      names.map((name, index) => (replicas[index % replicas.length] as TestReplica).create(sameName ? 'rex' : name)),
    );

  test(`twenty orders for ${what}: exactly one is accepted`, async () => {
    await using fleet = await startTestFleet();
    await fleet.configure(sections);
    assertOneWinner(await orderAll([fleet]), code);
    assert.equal(fleet.deps.registry.instances.size, 1);
  });

  test(`twenty orders for ${what} in two replicas: exactly one is accepted`, async () => {
    await using fleet = await startTestFleet();
    const other = await fleet.addReplica();
    await fleet.configure(sections);
    await eventually(() => other.deps.registry.clusters.size === 1 && other.product() !== undefined);
    assertOneWinner(await orderAll([fleet, other]), code);
    await eventually(() => other.deps.registry.instances.size === 1 && fleet.deps.registry.instances.size === 1);
  });
}

test('as many orders are accepted as there are units, whichever replica takes them', async () => {
  await using fleet = await startTestFleet();
  const other = await fleet.addReplica();
  await fleet.configure({ ...region({ limit: 12 }), ...cluster({}), ...quota(99) });
  await eventually(() => other.deps.registry.clusters.size === 1 && other.product() !== undefined);
  const results = await Promise.allSettled(names.map((name, index) => (index % 2 ? fleet : other).create(name)));
  assert.equal(results.filter(isFulfilled).length, 12);
  assert.deepEqual(
    codesOf(results),
    Array.from({ length: 8 }, () => 24),
  );
});

test('units that a removed instance held are free again', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure({ ...region({}), ...cluster({}), ...quota(1) });
  for (let round = 0; round < 3; round++) {
    const row = await fleet.create(`rex-${round}`);
    await rejectsFleetError(fleet.create('other'), 5);
    await fleet.deps.registry.commit([removeRow('instances', row)]);
  }
  assert.equal(fleet.deps.registry.ledger.used('quota/dinosaurs/org/13640203'), 0);
});

test('a commit that fails holds nothing', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure({ ...region({}), ...cluster({}), ...quota(1) });
  const { registry } = fleet.deps;
  const failing = { ...registry, commit: () => Promise.reject(new Error('the disk is full')) };
  const create = createInstance({ ...fleet.deps, registry: failing }, fleet.product(), order);
  await assert.rejects(create, /the disk is full/);
  assert.equal(registry.ledger.used('quota/dinosaurs/org/13640203'), 0);
  await fleet.create('rex');
});

test('an order that waits for the last unit gets it when the one before it fails', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure({ ...region({}), ...cluster({}), ...quota(1) });
  const { ledger } = fleet.deps.registry;
  const reservation = ledger.reserve([{ scope: 'quota/dinosaurs/org/13640203', units: 1, limit: 1 }]);
  assert.ok(reservation);
  const created = fleet.create('rex');
  reservation[Symbol.dispose]();
  assert.equal((await created).status.state, 'accepted');
});

test('a configuration that changes between decision and commit is decided on anew', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure({ ...region({}), ...cluster({}), ...quota(9) });
  const stale = fleet.product();
  await fleet.configure({ ...region({ limit: 0 }), ...cluster({}), ...quota(9) });
  const { registry } = fleet.deps;
  const answers = [stale];
  const configurations = { get: (id: string) => answers.shift() ?? registry.configurations.get(id) };
  const behind = { ...registry, configurations: configurations as typeof registry.configurations };
  await rejectsFleetError(createInstance({ ...fleet.deps, registry: behind }, stale, order), 24);
  assert.deepEqual(answers, []);
  assert.equal(registry.instances.size, 0);
});

test('an order moves on to the next unit when the unique key says that another process has one', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure({ ...region({}), ...cluster({}), ...quota(3) });
  const { registry } = fleet.deps;
  const spec = { product: 'llamas', name: 'x', owner: 'x', organisation: 'x' };
  const status = { holds: ['quota/dinosaurs/org/13640203#0'] };
  await registry.commit([createRow({ table: 'instances', id: 'x', tenant: fleetNamespace, spec, status })]);
  // A replica whose tables do not show it yet.
  const row = registry.instances.get('x');
  assert.ok(row);
  registry.ledger.onChange({ type: 'removed', row });
  const { status: created } = await fleet.create('rex');
  assert.ok(created.holds?.includes('quota/dinosaurs/org/13640203#1'), String(created.holds));
});

function assertOneWinner(results: readonly Settled[], code: number): void {
  assert.equal(results.filter(isFulfilled).length, 1);
  assert.deepEqual(new Set(codesOf(results)), new Set([code]));
}

const isFulfilled = ({ status }: Settled): boolean => status === 'fulfilled';

const codesOf = (results: readonly Settled[]): readonly unknown[] =>
  results.flatMap(result => {
    if (result.status === 'fulfilled') return [];
    const reason: unknown = result.reason;
    return [reason instanceof FleetError ? reason.number : reason];
  });
