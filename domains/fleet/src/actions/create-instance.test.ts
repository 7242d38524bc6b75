import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '@chandlery/platform';
import { eventually } from '@chandlery/testing';
import type { FleetErrorCode } from '../errors.ts';
import { fleetKinds } from '../kinds/index.ts';
import { rejectsFleetError } from '../test-errors.ts';
import { type OrderChanges, startTestFleet } from '../test-fleet.ts';

test('an order becomes an accepted instance on the first cluster with room', async () => {
  const clock = new ManualClock('2030-01-01T00:00:00Z');
  await using fleet = await startTestFleet({ clock });
  await fleet.configure();
  const { id, tenant, spec, status } = await fleet.create('rex', { accountId: 'acc-1', plan: 'standard.x2' });
  assert.match(id, /^[0-9a-v]{20}$/);
  assert.equal(tenant, 'fleet');
  assert.deepEqual(spec, {
    product: 'dinosaurs',
    name: 'rex',
    owner: 'zoe',
    ownerAccountId: 'acc-1',
    organisation: '13640203',
    cloudProvider: 'aws',
    region: 'eu-central-1',
    multiAz: true,
    plan: 'standard.x2',
  });
  assert.equal(status.state, 'accepted');
  assert.equal(status.clusterId, 'frankfurt-1');
  assert.equal(status.expiresAt, undefined);
  assert.deepEqual(status.holds, [
    'cluster/dinosaurs/frankfurt-1#0',
    'cluster/dinosaurs/frankfurt-1#1',
    'quota/dinosaurs/org/13640203#0',
    'quota/dinosaurs/org/13640203#1',
  ]);
});

test('a trial expires at the end of its lifespan', async () => {
  const clock = new ManualClock('2030-01-01T00:00:00Z');
  await using fleet = await startTestFleet({ clock });
  await fleet.configure();
  const { spec, status } = await fleet.create('rex', { organisation: 'unknown' });
  assert.equal(spec.plan, 'eval.x1');
  assert.equal(spec.multiAz, false);
  assert.equal(status.expiresAt, '2030-01-03T00:00:00.000000Z');
  await rejectsFleetError(fleet.create('second', { organisation: 'unknown' }), 24);
});

test('in mode auto the cluster is left to the accepted worker', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure({ settings: { dataplane_cluster_scaling_type: 'auto' }, clusters: [] });
  const { status } = await fleet.create('rex');
  assert.equal(status.state, 'accepted');
  assert.equal(status.clusterId, undefined);
});

const rejections: readonly {
  why: string;
  name?: string;
  order?: OrderChanges;
  number: FleetErrorCode;
  detail?: string;
}[] = [
  { why: 'the name goes before everything', name: '', order: { cloudProvider: 'gcp' }, number: 33 },
  {
    why: 'the name is taken, which goes before the provider',
    name: 'taken',
    order: { cloudProvider: 'gcp' },
    number: 36,
  },
  { why: 'the provider goes before the plan', order: { cloudProvider: 'gcp', plan: 'x' }, number: 30 },
  { why: 'the region goes before the plan', order: { region: 'x', plan: 'x' }, number: 31 },
  { why: 'the plan has a bad shape', order: { plan: 'x', multiAz: false }, number: 21 },
  { why: 'the region does not offer the type', order: { region: 'eu-north-1', plan: 'eval.x9' }, number: 41 },
  { why: 'one zone is asked for', order: { multiAz: false, plan: 'standard.x9' }, number: 35 },
  { why: 'the type has no such size', order: { plan: 'standard.x9' }, number: 42 },
  {
    why: 'the region has no cluster, which goes before quota',
    order: { region: 'eu-north-1', organisation: 'unknown', plan: 'standard.x1' },
    number: 24,
    detail: 'ClusterFull',
  },
  { why: 'the region is closed', order: { region: 'eu-west-1' }, number: 24, detail: 'RegionFull' },
  { why: 'an unregistered user wants standard', order: { organisation: 'unknown', plan: 'standard.x1' }, number: 120 },
  { why: 'a registered user wants a trial', order: { plan: 'eval.x1' }, number: 120 },
];

test('orders are rejected in the order of the reference, and leave nothing', async () => {
  await using fleet = await startTestFleet();
  const types = { standard: {}, eval: {} };
  await fleet.configure({
    supported_providers: [
      {
        name: 'aws',
        regions: [
          { name: 'eu-central-1', default: true, supported_instance_type: types },
          { name: 'eu-north-1', supported_instance_type: { standard: { limit: 10 } } },
          { name: 'eu-west-1', supported_instance_type: { standard: { limit: 0 } } },
        ],
      },
    ],
  });
  await fleet.create('taken');
  for (const { why, name = 'rex', order, number, detail } of rejections) {
    const error = await rejectsFleetError(fleet.create(name, order), number, why);
    assert.equal(error.facts.detail, detail, why);
  }
  const { registry } = fleet.deps;
  assert.equal(registry.instances.size, 1);
  assert.equal(registry.ledger.used('quota/dinosaurs/org/13640203'), 1);
});

test('the names of organisations are apart', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure();
  await fleet.create('rex');
  await fleet.create('rex', { organisation: '13645369', username: 'ann' });
});

test('a limit that was lowered below what is in use takes nothing more until enough is gone', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure();
  for (const name of ['a', 'b', 'c']) await fleet.create(name);
  const lowered = { registered_users_per_organisation: [{ id: '13640203', any_user: true, max_allowed_instances: 2 }] };
  await fleet.configure(lowered);
  await rejectsFleetError(fleet.create('d'), 5);
});

test('instances from before a limit count', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure({ settings: { enable_instance_limit_control: false } });
  for (const name of ['a', 'b', 'c', 'd']) await fleet.create(name);
  await fleet.configure();
  await fleet.create('e');
  await rejectsFleetError(fleet.create('f'), 5);
});

test('a QuotaGrant registers an organisation, until it expires', async () => {
  const clock = new ManualClock('2030-01-01T00:00:00Z');
  await using fleet = await startTestFleet({ clock });
  await fleet.configure();
  const { apiVersion, kind, ref } = fleetKinds.grants;
  const expiresAt = '2030-01-01T01:00:00Z';
  const spec = { product: 'dinosaurs', organisation: 'acme', anyUser: true, maxAllowedInstances: 2, expiresAt };
  await fleet.client.create(ref, { apiVersion, kind, metadata: { name: 'acme' }, spec });
  await eventually(() => fleet.deps.registry.grants.size === 1);
  const order = { organisation: 'acme', username: 'ann' };
  assert.equal((await fleet.create('a', order)).status.instanceType, 'standard');
  await fleet.create('b', { ...order, username: 'ben' });
  await rejectsFleetError(fleet.create('c', order), 5);
  clock.advance(3_600_000);
  await rejectsFleetError(fleet.create('c', { ...order, plan: 'standard.x1' }), 120);
});
