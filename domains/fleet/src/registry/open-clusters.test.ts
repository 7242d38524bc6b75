import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forceStatus } from '../actions/test-instances.ts';
import { startTestFleet } from '../test-fleet.ts';
import { indexTerm } from './fleet-registry.ts';

const cluster = (id: string, limit: number, region = 'eu-central-1') => ({
  cluster_id: id,
  cloud_provider: 'aws',
  region,
  multi_az: true,
  status: 'ready',
  instance_limit: limit,
});

const quota = [{ id: '13640203', any_user: true, max_allowed_instances: 1000, registered_users: [] }];
const manual = (...clusters: readonly unknown[]) => ({
  settings: { dataplane_cluster_scaling_type: 'manual', enable_instance_limit_control: false },
  registered_users_per_organisation: quota,
  clusters,
});

test('a region lists clusters that are not full in order, and those that become so no longer', async () => {
  await using fleet = await startTestFleet();
  const { registry } = fleet.deps;
  const open = (): readonly string[] =>
    [...registry.openClusters.inRegion(indexTerm('dinosaurs', 'aws', 'eu-central-1'), 'document')].map(
      ({ spec }) => spec.clusterId,
    );
  await fleet.configure(manual(cluster('b', 1), cluster('none', 0), cluster('a', 2), cluster('endless', -1)));
  assert.deepEqual(open(), ['b', 'a', 'endless']);
  const rex = await fleet.create('rex');
  assert.deepEqual(open(), ['a', 'endless'], 'b is full');
  await fleet.configure(manual(cluster('endless', -1), cluster('a', 2), cluster('b', 2)));
  assert.deepEqual(open().slice(0, 3), ['endless', 'a', 'b'], 'the order of the document and the limit have changed');
  await fleet.configure(manual(cluster('b', 1), cluster('a', 2), cluster('endless', -1)));
  assert.ok(!open().includes('b'));
  await forceStatus(fleet, rex.id, { clusterId: 'a', holds: [] });
  assert.deepEqual(open(), ['b', 'a', 'endless'], 'what has left makes room');
});

test('an order looks at no full cluster, however many there are', async () => {
  await using fleet = await startTestFleet();
  const full = Array.from({ length: 200 }, (_, number) => cluster(`full-${number}`, 0));
  await fleet.configure(manual(...full, cluster('free', 5)));
  const { ledger } = fleet.deps.registry;
  const asked = new Set<string>();
  const used = ledger.used.bind(ledger);
  ledger.used = scope => {
    asked.add(scope);
    return used(scope);
  };
  const { status } = await fleet.create('rex');
  assert.equal(status.clusterId, 'free');
  assert.deepEqual(
    [...asked].filter(scope => scope.includes('full-')),
    [],
  );
  assert.ok([...asked].some(scope => scope.endsWith('/free')));
});
