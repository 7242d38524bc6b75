import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MetricsRegistry } from '@chandlery/platform';
import { createLifecycleActions } from './actions/lifecycle-actions.ts';
import { clusterOf } from './actions/test-instances.ts';
import { reportVersions, startTestAgent, startTestWorkers, worldSections } from './controllers/test-workers.ts';
import { addFleetMetrics } from './metrics.ts';
import { observeClusters } from './observe-clusters.ts';
import { observeInstances } from './observe-instances.ts';
import { type ClusterRow, removeRow, updateRow } from './registry/fleet-registry.ts';
import { startTestFleet } from './test-fleet.ts';

test('metrics count instances and clusters at scrape, and name no instance', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure({ ...worldSections, dns: { type: 'none' }, sso: { type: 'none' } });
  await reportVersions(fleet);
  const { registry, clock } = fleet.deps;
  const metrics = new MetricsRegistry();
  const observer = addFleetMetrics({ metrics, registry, clock, isLeading: () => true });
  const stop = observeInstances(registry, { observer, clock });
  await using _ = startTestWorkers(fleet, { adapters: { dns: undefined, sso: undefined, certificates: undefined } });
  using _agent = startTestAgent(fleet);
  const ids = (await Promise.all(['a', 'b', 'c'].map(name => fleet.create(name)))).map(({ id }) => id);
  for (const id of ids)
    await registry.instances.until(id, row => row?.status.state === 'ready', AbortSignal.timeout(10_000));
  observer.reconciled('accepted', 0.5, true);
  observer.reconciled('accepted', 0.5, false);
  const text = await metrics.render();
  for (const line of [
    'fleet_manager_dinosaur_requests_status_count{product="dinosaurs",status="ready"} 3',
    'fleet_manager_dinosaur_requests_status_count{product="dinosaurs",status="failed"} 0',
    'fleet_manager_cluster_status_count{product="dinosaurs",status="ready"} 1',
    'fleet_manager_dinosaur_per_cluster_count{product="dinosaurs",cluster_id="frankfurt-1"} 3',
    'fleet_manager_cluster_status_capacity_max{product="dinosaurs",region="eu-central-1",instance_type="standard",cluster_id="frankfurt-1"} 50',
    'fleet_manager_cluster_status_capacity_used{product="dinosaurs",region="eu-central-1",instance_type="standard",cluster_id="frankfurt-1"} 3',
    'fleet_manager_dinosaur_operations_total_count{operation="create"} 3',
    'fleet_manager_dinosaur_operations_success_count{operation="create"} 3',
    'fleet_manager_worker_dinosaur_duration_count{jobType="dinosaur_create"} 3',
    'fleet_manager_reconciler_success_count{worker_type="accepted"} 1',
    'fleet_manager_reconciler_failure_count{worker_type="accepted"} 1',
    'fleet_manager_leader_worker{worker_type="accepted"} 1',
  ])
    assert.ok(text.includes(line), `${line}\n${text}`);
  assert.ok(ids.every(id => !text.includes(id)));
  const lines = text.split('\n').length;
  await Promise.all(ids.map(id => createLifecycleActions(fleet.deps).adminDelete(fleet.product(), id)));
  for (const id of ids) await registry.instances.until(id, row => row === undefined, AbortSignal.timeout(10_000));
  const after = await metrics.render();
  stop();
  assert.ok(after.includes('fleet_manager_dinosaur_requests_status_count{product="dinosaurs",status="ready"} 0'));
  assert.ok(after.includes('fleet_manager_dinosaur_operations_success_count{operation="delete"} 3'));
  assert.ok(after.split('\n').length < lines + 60, 'the number of series does not grow with instances');
});

test('metrics count clusters that were asked for, became ready and were removed', async () => {
  await using fleet = await startTestFleet();
  const { registry, clock } = fleet.deps;
  const metrics = new MetricsRegistry();
  const observer = addFleetMetrics({ metrics, registry, clock, isLeading: () => true });
  const stop = observeClusters(registry, { observer, clock });
  await fleet.configure();
  const move = (state: NonNullable<ClusterRow['status']['state']>) => {
    const row = clusterOf(fleet.deps, 'frankfurt-1');
    return registry.commit([updateRow({ table: 'clusters', row, status: { ...row.status, state } })]);
  };
  for (const state of ['failed', 'ready', 'deprovisioning', 'cleanup'] as const) await move(state);
  await registry.commit([removeRow('clusters', clusterOf(fleet.deps, 'frankfurt-1'))]);
  stop();
  const text = await metrics.render();
  for (const line of [
    'cluster_operations_total_count{operation="create"} 1',
    'cluster_operations_success_count{operation="create"} 1',
    'cluster_operations_total_count{operation="delete"} 1',
    'cluster_operations_success_count{operation="delete"} 1',
    'worker_cluster_duration_count{jobType="cluster_create"} 1',
  ])
    assert.ok(text.includes(`fleet_manager_${line}`), `${line}\n${text}`);
});
