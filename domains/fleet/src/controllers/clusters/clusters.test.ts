import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { clusterOf, forceStatus } from '../../actions/test-instances.ts';
import { describeClusterProviderContract } from '../../adapters/clusters/cluster-provider-contract.ts';
import { standaloneProvider } from '../../adapters/clusters/standalone-provider.ts';
import { fleetKinds } from '../../kinds/index.ts';
import { type ClusterRow, type InstanceRow, updateRow } from '../../registry/fleet-registry.ts';
import { startTestFleet, type TestFleet } from '../../test-fleet.ts';
import { startTestAgent, startTestWorkers, worldSections } from '../test-workers.ts';
import { MemoryClusterProvider, startTestClusters } from './test-clusters.ts';

const dispose = { [Symbol.asyncDispose]: () => Promise.resolve() };
describeClusterProviderContract(
  'in memory',
  () => Promise.resolve({ provider: new MemoryClusterProvider(), ...dispose }),
  { makes: true },
);
describeClusterProviderContract('standalone', () => Promise.resolve({ provider: standaloneProvider, ...dispose }), {
  makes: false,
});

const nothing = { dns: undefined, sso: undefined, certificates: undefined };
const noZone = { ...worldSections, dns: { type: 'none' }, sso: { type: 'none' } };
const auto = {
  ...noZone,
  clusters: [],
  settings: { dataplane_cluster_scaling_type: 'auto', enable_dynamic_scale_up: true, enable_dynamic_scale_down: true },
};
const clusters = ({ deps }: TestFleet): readonly ClusterRow[] => [...deps.registry.clusters.all()];
const conditions = ({ status }: ClusterRow) =>
  Object.fromEntries((status.conditions ?? []).map(({ type, status: value, reason }) => [type, `${value} ${reason}`]));
const document = (status: string, extra: object = {}) => ({
  name: 'frankfurt-1',
  cluster_id: 'frankfurt-1',
  cloud_provider: 'aws',
  region: 'eu-central-1',
  multi_az: true,
  schedulable: true,
  dinosaur_instance_limit: 50,
  status,
  provider_type: 'standalone',
  cluster_dns: 'apps.frankfurt-1.example.com',
  supported_instance_type: 'standard,eval',
  ...extra,
});

test('mode auto: an instance in a region without clusters becomes ready, and its cluster goes with the region', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure(auto);
  await using made = startTestClusters(fleet);
  await using _ = startTestWorkers(fleet, { adapters: nothing });
  const { id } = await fleet.create('rex');
  const [cluster] = await eventually(() => {
    const all = clusters(fleet);
    return all.length === 1 && all[0]?.status.state === 'ready' && all;
  });
  assert.ok(cluster);
  using _agent = startTestAgent(fleet, { clusterId: cluster.spec.clusterId });
  const isReady = (found?: InstanceRow) => found?.status.state === 'ready';
  const row = await fleet.deps.registry.instances.until(id, isReady, AbortSignal.timeout(60_000));
  assert.equal(row?.status.clusterId, cluster.spec.clusterId);
  await eventually(() => conditions(clusterOf(fleet.deps, cluster.spec.clusterId))['Ready'] === 'True Available');
  assert.deepEqual(conditions(clusterOf(fleet.deps, cluster.spec.clusterId)), {
    AgentConnected: 'True Speaking',
    AgentInstalled: 'True Running',
    DnsKnown: 'True Known',
    IdentityReady: 'True LandscapeToken',
    Provisioned: 'True Available',
    Ready: 'True Available',
    ResourcesApplied: 'True AccessGranted',
  });
  assert.equal(clusters(fleet).length, 1, 'one cluster is enough');
  await forceStatus(fleet, id, { state: 'deleting' });
  await fleet.deps.registry.instances.until(id, found => found === undefined, AbortSignal.timeout(60_000));
  assert.equal(clusters(fleet).length, 1, 'the last one stays');
  const elsewhere = [{ name: 'eu-north-1', default: true, supported_instance_type: { standard: {} } }];
  await fleet.configure({ ...auto, supported_providers: [{ name: 'aws', default: true, regions: elsewhere }] });
  await eventually(() => clusters(fleet).length === 0);
  assert.deepEqual([made.provider.clusters.size, made.installer.installed.size], [0, 0]);
});

test('slack asks for room in advance', async () => {
  await using fleet = await startTestFleet();
  await using _ = startTestClusters(fleet);
  const regions = [
    {
      name: 'north',
      default: true,
      supported_instance_type: { standard: { limit: 10, min_available_capacity_slack_streaming_units: 2 } },
    },
  ];
  await fleet.configure({ ...auto, supported_providers: [{ name: 'aws', default: true, regions }] });
  await eventually(() => clusters(fleet)[0]?.status.state === 'ready');
});

test('a cluster that cannot be made has failed, and not ever more are asked for', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure(auto);
  await using made = startTestClusters(fleet);
  made.provider.failure = 'no room on this machine';
  await fleet.create('rex');
  await eventually(() => clusters(fleet).filter(({ status }) => status.state === 'failed').length === 3);
  await new Promise(resolve => setTimeout(resolve, 200));
  assert.equal(clusters(fleet).length, 3);
  assert.equal(clusters(fleet)[0]?.status.failedReason, 'no room on this machine');
});

test('a cluster of the document is terraformed, waits for its agent, and stays in mode auto', async () => {
  await using fleet = await startTestFleet();
  await using _ = startTestClusters(fleet);
  await fleet.configure({ ...auto, clusters: [document('cluster_provisioning')] });
  await eventually(() => clusterOf(fleet.deps, 'frankfurt-1').status.state === 'waiting_for_fleetshard_operator');
  assert.deepEqual(conditions(clusterOf(fleet.deps, 'frankfurt-1'))['AgentConnected'], 'False Waiting');
});

test('a cluster that is dropped goes when it is empty, and may be added again', async () => {
  await using fleet = await startTestFleet();
  await using _ = startTestClusters(fleet);
  await fleet.configure({ ...noZone, clusters: [document('ready')] });
  const { id } = await fleet.create('rex');
  await fleet.configure({ ...noZone, clusters: [] });
  await new Promise(resolve => setTimeout(resolve, 100));
  assert.equal(clusterOf(fleet.deps, 'frankfurt-1').status.state, 'ready', 'it has an instance');
  await forceStatus(fleet, id, { state: 'deleting' });
  await using _workers = startTestWorkers(fleet, { adapters: nothing });
  await eventually(() => clusters(fleet).length === 0);
  await fleet.configure({ ...noZone, clusters: [document('ready')] });
  assert.equal(clusterOf(fleet.deps, 'frankfurt-1').status.state, 'ready');
});

test('a cluster to which an instance came before it was removed returns to ready', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure({ ...noZone, clusters: [document('ready')] });
  await fleet.create('rex');
  const row = clusterOf(fleet.deps, 'frankfurt-1');
  await fleet.deps.registry.commit([
    updateRow({ table: 'clusters', row, status: { ...row.status, state: 'deprovisioning' } }),
  ]);
  await using _ = startTestClusters(fleet);
  await eventually(() => clusterOf(fleet.deps, 'frankfurt-1').status.state === 'ready');
});

test('an agent that falls silent is found by its due time', async () => {
  await using fleet = await startTestFleet();
  await using _ = startTestClusters(fleet);
  await fleet.configure({ ...noZone, clusters: [document('ready')], settings: { agent_silence_seconds: 1 } });
  const row = clusterOf(fleet.deps, 'frankfurt-1');
  const status = { ...row.status, lastSeenAt: new Date().toISOString() };
  await fleet.deps.registry.commit([updateRow({ table: 'clusters', row, status })]);
  await eventually(() => conditions(clusterOf(fleet.deps, 'frankfurt-1'))['AgentConnected'] === 'True Speaking');
  await eventually(() => clusterOf(fleet.deps, 'frankfurt-1').status.isAgentSilent === true);
  assert.equal(conditions(clusterOf(fleet.deps, 'frankfurt-1'))['Ready'], 'False AgentSilent');
});

test('a cluster that was deleted with kubectl goes', async () => {
  await using fleet = await startTestFleet();
  await using _ = startTestClusters(fleet);
  await fleet.configure({ ...noZone, clusters: [document('ready')] });
  await fleet.client.delete({ ...fleetKinds.clusters.ref, name: 'dinosaurs.frankfurt-1' });
  await eventually(() => clusters(fleet).length === 0);
});
