import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { forceStatus, instanceOf } from '../../actions/test-instances.ts';
import { createRow } from '../../registry/fleet-registry.ts';
import { startTestFleet } from '../../test-fleet.ts';
import { startTestWorkers, worldSections } from '../test-workers.ts';

const nothing = { dns: undefined, sso: undefined, certificates: undefined };
const organisations = worldSections.registered_users_per_organisation;

test('lost quota begins a grace period, which ends when quota is back', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure(worldSections);
  const { id } = await fleet.create('rex');
  await using workers = startTestWorkers(fleet, { adapters: nothing });
  await fleet.configure({ ...worldSections, registered_users_per_organisation: [] });
  const expiresAt = await eventually(() => instanceOf(fleet.deps, id).status.expiresAt);
  const days = (Date.parse(expiresAt) - Date.now()) / 86_400_000;
  assert.ok(days > 13.9 && days < 14.1, `${days} days`);
  const grant = { product: 'dinosaurs', organisation: '13640203', anyUser: true };
  await fleet.deps.registry.commit([createRow({ table: 'grants', id: 'back', tenant: '', spec: grant })]);
  await eventually(() => instanceOf(fleet.deps, id).status.expiresAt === undefined);
  assert.deepEqual(
    workers.notices.map(({ reason }) => reason),
    ['QuotaLost', 'QuotaBack'],
  );
  assert.equal(instanceOf(fleet.deps, id).status.state, 'accepted');
});

test('instances whose grace period is over are deleted, no more than the cap at once', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure({ ...worldSections, settings: { max_deletions_per_minute: 3 } });
  const rows = await Promise.all(Array.from({ length: 8 }, (_, i) => fleet.create(`rex-${i}`)));
  for (const { id } of rows) await forceStatus(fleet, id, { state: 'failed', expiresAt: '2020-01-01T00:00:00Z' });
  await fleet.configure({
    ...worldSections,
    settings: { max_deletions_per_minute: 3 },
    registered_users_per_organisation: [],
  });
  await using workers = startTestWorkers(fleet, { adapters: nothing });
  await eventually(() => fleet.deps.registry.records.size === 3);
  await new Promise(resolve => setTimeout(resolve, 200));
  assert.equal(fleet.deps.registry.instances.size, 5);
  assert.deepEqual(
    workers.notices.map(({ reason }) => reason),
    ['Expired', 'Expired', 'Expired'],
  );
});

test('a trial is deleted at the end of its lifespan, without grace', async () => {
  await using fleet = await startTestFleet();
  const types = [
    {
      id: 'eval',
      display_name: 'Trial',
      sizes: [{ id: 'x1', quota_consumed: 1, capacity_consumed: 1, lifespan_seconds: 1 }],
    },
  ];
  const regions = [{ name: 'eu-central-1', default: true, supported_instance_type: { eval: {} } }];
  await fleet.configure({
    ...worldSections,
    instance_types: types,
    registered_users_per_organisation: [],
    supported_providers: [{ name: 'aws', default: true, regions }],
    clusters: [
      {
        name: 'c',
        cluster_id: 'c',
        cloud_provider: 'aws',
        region: 'eu-central-1',
        multi_az: true,
        schedulable: true,
        dinosaur_instance_limit: 5,
        status: 'ready',
        provider_type: 'standalone',
        cluster_dns: 'apps.c.example.com',
        supported_instance_type: 'eval',
      },
    ],
  });
  const { id, status } = await fleet.create('trial');
  assert.notEqual(status.expiresAt, undefined);
  await using _ = startTestWorkers(fleet, { adapters: nothing });
  await fleet.deps.registry.instances.until(id, row => row === undefined, AbortSignal.timeout(5000));
});

test('instances of a denied owner are deleted, and others stay', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure(worldSections);
  const bad = await fleet.create('bad', { username: 'eve' });
  const good = await fleet.create('good');
  await using _ = startTestWorkers(fleet, { adapters: nothing });
  await fleet.configure({ ...worldSections, deny_list: ['eve'], registered_users_per_organisation: organisations });
  await fleet.deps.registry.instances.until(bad.id, row => row === undefined, AbortSignal.timeout(5000));
  assert.equal(instanceOf(fleet.deps, good.id).status.state, 'accepted');
});
