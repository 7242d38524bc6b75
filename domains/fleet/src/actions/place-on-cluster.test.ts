import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InstanceRow } from '../registry/fleet-registry.ts';
import { updateRow } from '../registry/fleet-registry.ts';
import { startTestFleet } from '../test-fleet.ts';
import { holdsWithoutCluster, placeOnCluster } from './place-on-cluster.ts';

const cluster = (id: string, limit: number) => ({
  cluster_id: id,
  cloud_provider: 'aws',
  region: 'eu-central-1',
  multi_az: true,
  status: 'ready',
  instance_limit: limit,
});

const auto = (...clusters: readonly unknown[]) => ({
  settings: { dataplane_cluster_scaling_type: 'auto', enable_instance_limit_control: false },
  clusters,
});

const preparing = ({ status }: InstanceRow): InstanceRow['status'] | undefined =>
  status.clusterId === undefined ? { ...status, state: 'preparing' } : undefined;

test('an instance of mode auto takes its units on the first cluster with room', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure(auto(cluster('full', 0), cluster('free', 5)));
  const { id } = await fleet.create('rex');
  const placed = await placeOnCluster(fleet.deps, id, preparing);
  assert.equal(placed.clusterId, 'free');
  const row = fleet.deps.registry.instances.get(id);
  assert.deepEqual([row?.status.state, row?.status.clusterId], ['preparing', 'free']);
  assert.deepEqual(row?.status.holds, ['cluster/dinosaurs/free#0']);
  await placeOnCluster(fleet.deps, id, preparing);
  assert.equal(fleet.deps.registry.instances.get(id)?.revision, row?.revision, 'placed once');
});

test('an instance without a cluster stays as it was, with the reasons', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure(auto(cluster('full', 0)));
  const { id, revision } = await fleet.create('rex');
  const placed = await placeOnCluster(fleet.deps, id, preparing);
  assert.equal(placed.clusterId, undefined);
  assert.match(placed.passedOver[0]?.reason ?? '', /^it is full: 0 of 0/);
  assert.equal(fleet.deps.registry.instances.get(id)?.revision, revision);
});

test('of ten instances for the last unit of a cluster one is placed, in two replicas too', async () => {
  await using fleet = await startTestFleet();
  const other = await fleet.addReplica();
  await fleet.configure(auto(cluster('c', 1)));
  const rows = await Promise.all(Array.from({ length: 10 }, (_, index) => fleet.create(`rex-${index}`)));
  const place = ({ id }: InstanceRow, index: number) => placeOnCluster((index % 2 ? fleet : other).deps, id, preparing);
  const placed = await Promise.all(rows.map(place));
  assert.ok(placed.filter(({ clusterId }) => clusterId === 'c').length <= 1);
  // One that was passed over while another replica was about to fail is placed by the next attempt.
  await Promise.all(rows.map(({ id }) => placeOnCluster(fleet.deps, id, preparing)));
  const onCluster = [...fleet.deps.registry.instances.by('cluster', 'dinosaurs/c')];
  assert.equal(onCluster.length, 1);
});

test('an instance that leaves its cluster frees the units there and goes to another one', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure(auto(cluster('a', 1), cluster('b', 1)));
  const { registry } = fleet.deps;
  const { id } = await fleet.create('rex');
  await placeOnCluster(fleet.deps, id, preparing);
  const row = registry.instances.get(id);
  assert.ok(row);
  const { clusterId, holds, ...rest } = row.status;
  const status = { ...rest, holds: holdsWithoutCluster(holds), excludedClusters: [clusterId ?? ''] };
  await registry.commit([updateRow({ table: 'instances', row, status })]);
  assert.equal(registry.ledger.used('cluster/dinosaurs/a'), 0);
  assert.equal((await placeOnCluster(fleet.deps, id, preparing)).clusterId, 'b');
});
