import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findCondition } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import { type Cluster, clusters } from '../../kinds/cluster.ts';
import { type ClusterRequest, clusterRequests } from '../../kinds/cluster-request.ts';
import { hash8 } from '../../kinds/hashed-names.ts';
import { clusterNames } from '../../kinds/names.ts';
import { type SchedulerConfig, schedulerConfigs } from '../../kinds/scheduler-config.ts';
import { holdersOf, holdOf } from '../../model/scheduling/holds.ts';
import { startTestClusters, type TestClusters } from '../../test-clusters.ts';

const numbers = Array.from({ length: 20 }, (_, index) => index);
const goes = { [clusterNames.deleteWithoutRequestsLabel]: 'true' };

function limited(spec: SchedulerConfig['spec'], tenancyCount: number): void {
  const template = { metadata: { labels: goes }, spec: { profile: 'logical', purposes: ['few'], tenancy: 'Shared' } };
  spec.purposes['few'] = { template, tenancyCount } as SchedulerConfig['spec']['purposes'][string];
}

const noRequest = clusterRequests.object({ name: 'none' }, { purpose: 'none' });

const ofPurpose = async (landscape: TestClusters, purpose: string): Promise<readonly Cluster[]> =>
  (await landscape.listClusters()).filter(({ spec }) => spec.purposes.includes(purpose));

const patchFinalizers = (landscape: TestClusters, ref: { name: string; namespace: string }, finalizers: string[]) =>
  landscape.platform.patch({ ...clusters.ref, ...ref }, { type: 'merge', body: { metadata: { finalizers } } });

describe('The scheduler', () => {
  it('finds the clusters that the landscape has for a purpose', async () => {
    await using landscape = await startTestClusters();
    await landscape.request('a', 'onboarding');
    await landscape.request('b', 'platform');
    assert.deepEqual((await landscape.settled('a')).status?.cluster, {
      name: 'onboarding',
      namespace: 'openmcp-system',
    });
    assert.deepEqual((await landscape.settled('b')).status?.cluster, { name: 'platform', namespace: 'openmcp-system' });
    await landscape.deleteRequest('a');
    await landscape.gone(() => landscape.findRequest('a'), 'the request');
    const onboarding = await landscape.ready('onboarding');
    assert.deepEqual(holdersOf(onboarding), []);
  });

  it('fills clusters to their limit and not beyond, however many ask at once', async () => {
    await using landscape = await startTestClusters();
    await landscape.configure(spec => limited(spec, 2));
    await Promise.all(numbers.map(number => landscape.request(`r${number}`, 'few')));
    await Promise.all(numbers.map(number => landscape.settled(`r${number}`)));
    const made = await ofPurpose(landscape, 'few');
    assert.equal(made.length, 10);
    assert.ok(made.every(cluster => holdersOf(cluster).length === 2));
    await Promise.all(numbers.map(number => landscape.deleteRequest(`r${number}`)));
    await landscape.gone(async () => (await ofPurpose(landscape, 'few'))[0], 'the clusters');
    await Promise.all(numbers.map(number => landscape.gone(() => landscape.findRequest(`r${number}`), 'a request')));
  });

  it('overbooks nothing when another scheduler works beside it', async () => {
    await using landscape = await startTestClusters();
    await landscape.configure(spec => limited(spec, 2));
    await using _other = await landscape.startAnother();
    await Promise.all(numbers.map(number => landscape.request(`r${number}`, 'few')));
    const granted = await Promise.all(numbers.map(number => landscape.settled(`r${number}`)));
    await eventually(async () => {
      const holders = (await ofPurpose(landscape, 'few')).flatMap(holdersOf).sort();
      assert.deepEqual(holders, granted.map(({ metadata }) => metadata.uid).sort());
      return true;
    });
    for (const cluster of await ofPurpose(landscape, 'few')) assert.ok(holdersOf(cluster).length <= 2);
    await Promise.all(numbers.map(number => landscape.deleteRequest(`r${number}`)));
    await landscape.gone(async () => (await ofPurpose(landscape, 'few'))[0], 'the clusters');
  });

  it('continues where it was stopped', async () => {
    await using landscape = await startTestClusters();
    await landscape.configure(spec => limited(spec, 2));
    const asked = Promise.all(numbers.map(number => landscape.request(`r${number}`, 'few')));
    await landscape.restart();
    await asked;
    await landscape.restart();
    await Promise.all(numbers.map(number => landscape.settled(`r${number}`)));
    const made = await ofPurpose(landscape, 'few');
    assert.equal(made.length, 10);
    const gone = Promise.all(numbers.map(number => landscape.deleteRequest(`r${number}`)));
    await landscape.restart();
    await gone;
    await landscape.restart();
    await landscape.gone(async () => (await ofPurpose(landscape, 'few'))[0], 'the clusters');
    await landscape.gone(async () => (await landscape.platform.list(clusterRequests.ref)).items[0], 'the requests');
  });

  it('finds the cluster of a request that lost its status', async () => {
    await using landscape = await startTestClusters();
    const request = await landscape.request('a', 'mcp');
    const { status } = await landscape.settled('a');
    await landscape.stop();
    const ref = { ...clusterRequests.ref, namespace: 'default', name: 'a', subresource: 'status' };
    await landscape.platform.patch(ref, { type: 'merge', body: { status: null } });
    await landscape.restart();
    assert.deepEqual((await landscape.settled('a')).status?.cluster, status?.cluster);
    assert.equal((await ofPurpose(landscape, 'mcp')).length, 1);
    assert.deepEqual((await ofPurpose(landscape, 'mcp')).map(holdersOf), [[request.metadata.uid]]);
  });

  it('holds a cluster again that lost its hold, and creates it again when it is lost', async () => {
    await using landscape = await startTestClusters();
    const { metadata } = await landscape.request('a', 'mcp');
    const { status } = await landscape.settled('a');
    const place = status?.cluster ?? { name: '', namespace: '' };
    await landscape.ready(place.name);
    await patchFinalizers(landscape, place, [clusterNames.clusterFinalizer]);
    await eventually(async () => {
      const cluster = await landscape.findCluster(place.name);
      return cluster?.metadata.finalizers?.includes(holdOf(metadata.uid ?? ''));
    });
    const first = await landscape.ready(place.name);
    await landscape.platform.delete({ ...clusters.ref, ...place });
    await patchFinalizers(landscape, place, []);
    const second = await eventually(async () => {
      const cluster = await landscape.findCluster(place.name);
      return cluster?.metadata.uid !== first.metadata.uid && cluster;
    });
    assert.deepEqual(holdersOf(second), [metadata.uid]);
  });

  it('lets go of clusters that a request holds besides its own', async () => {
    await using landscape = await startTestClusters();
    const { metadata } = await landscape.request('a', 'mcp');
    const { status } = await landscape.settled('a');
    const stray = clusters.object(
      { name: 'stray', namespace: 'default', labels: goes, finalizers: [holdOf(metadata.uid ?? '')] },
      { profile: 'logical', purposes: ['mcp'], tenancy: 'Exclusive' },
    );
    await landscape.platform.create({ ...clusters.ref, namespace: 'default' }, stray);
    await landscape.gone(() => landscape.findCluster('stray', 'default'), 'the stray cluster');
    const own = await landscape.ready(status?.cluster?.name ?? '');
    assert.deepEqual(holdersOf(own), [metadata.uid]);
  });

  it('keeps a deleted cluster until its request goes', async () => {
    await using landscape = await startTestClusters();
    await landscape.request('a', 'mcp');
    const { status } = await landscape.settled('a');
    const place = status?.cluster ?? { name: '', namespace: '' };
    await landscape.ready(place.name);
    await landscape.platform.delete({ ...clusters.ref, ...place });
    const waiting = await eventually(async () => {
      const cluster = await landscape.findCluster(place.name);
      const ready = cluster && findCondition(cluster, 'Ready');
      return ready?.reason === 'WaitingForRelease' && ready;
    });
    assert.match(waiting.message ?? '', /needed by 1 ClusterRequest;/);
    await eventually(async () => {
      const request = await landscape.findRequest('a');
      return request !== undefined && findCondition(request, 'Ready')?.reason === 'ClusterDeleting';
    });
    await landscape.deleteRequest('a');
    await landscape.gone(() => landscape.findRequest('a'), 'the request');
    assert.equal(await landscape.findCluster(place.name), undefined);
  });

  it('reports a configuration problem, and continues when it is fixed', async () => {
    await using landscape = await startTestClusters();
    await landscape.request('a', 'tea');
    const denied = await landscape.settled('a', 'Denied');
    assert.equal(findCondition(denied, 'Ready')?.reason, 'ConfigurationProblem');
    assert.match(
      findCondition(denied, 'Ready')?.message ?? '',
      /"tea" \(it knows fleet, mcp, onboarding, platform, workload\)/,
    );
    await landscape.platform.delete({ ...schedulerConfigs.ref, name: 'default' });
    const pending = await landscape.settled('a', 'Pending');
    assert.match(findCondition(pending, 'Ready')?.message ?? '', /no SchedulerConfig "default"/);
    const template = { spec: { profile: 'logical', purposes: ['tea'], tenancy: 'Exclusive' as const } };
    const spec: SchedulerConfig['spec'] = {
      scope: 'Cluster',
      strategy: 'Balanced',
      purposes: { tea: { template: { ...template, metadata: { namespace: 'elsewhere' } }, tenancyCount: 0 } },
    };
    await landscape.platform.create(schedulerConfigs.ref, schedulerConfigs.object({ name: 'default' }, spec));
    const { status } = await landscape.settled('a');
    assert.equal(status?.cluster?.namespace, 'elsewhere');
  });

  it('gives no cluster without Run to who needs it, and says so until there is one', async () => {
    await using landscape = await startTestClusters();
    await landscape.request('a', 'mcp', { requiredCapabilities: ['Run'] });
    const denied = await landscape.settled('a', 'Denied');
    const ready = findCondition(denied, 'Ready');
    assert.equal(ready?.reason, 'CapabilityMissing');
    assert.match(ready?.message ?? '', /purpose "mcp" needs Run, .* ClusterProfile "logical"/);
    assert.deepEqual(await ofPurpose(landscape, 'mcp'), []);
    await landscape.configure(({ purposes }) => {
      if (purposes['mcp']) purposes['mcp'].template.spec.profile = 'local';
    });
    const { status } = await landscape.settled('a');
    assert.deepEqual((await landscape.ready(status?.cluster?.name ?? '')).status?.capabilities, ['API', 'Run']);
  });

  it('passes over a shared cluster without Run', async () => {
    await using landscape = await startTestClusters();
    const spec = { profile: 'logical', purposes: ['workload'], tenancy: 'Shared' as const };
    const inSystem = { ...clusters.ref, namespace: 'openmcp-system' };
    await landscape.platform.create(inSystem, clusters.object({ name: 'a', namespace: 'openmcp-system' }, spec));
    await landscape.ready('a');
    await landscape.request('r', 'workload');
    assert.equal((await landscape.settled('r')).status?.cluster?.name, 'workload');
  });

  it('reports to requests that need Run that the cluster has no node', async () => {
    await using landscape = await startTestClusters({ runWorkloads: undefined as never });
    await landscape.request('a', 'workload');
    const ready = await eventually(async () => {
      const condition = findCondition((await landscape.findRequest('a')) ?? noRequest, 'Ready');
      return condition?.reason === 'RunNotReady' && condition;
    });
    assert.match(ready.message ?? '', /workload is given, but runs no pods: This process has no node/);
    assert.equal((await landscape.findRequest('a'))?.status?.phase, 'Granted');
    await landscape.request('b', 'platform');
    assert.equal(findCondition(await landscape.settled('b'), 'Ready')?.reason, 'Granted');
  });

  it('denies a name that belongs to another request, until that one goes', async () => {
    await using landscape = await startTestClusters();
    const owner = await landscape.request('owner', 'onboarding');
    const name = `mcp-${hash8('default', 'a')}`;
    const taken = clusters.object(
      { name, namespace: 'openmcp-system', finalizers: [holdOf(owner.metadata.uid ?? '')] },
      { profile: 'logical', purposes: ['mcp'], tenancy: 'Exclusive' },
    );
    await landscape.platform.create({ ...clusters.ref, namespace: 'openmcp-system' }, taken);
    await landscape.ready(name);
    await landscape.request('a', 'mcp');
    const denied = await landscape.settled('a', 'Denied');
    assert.equal(findCondition(denied, 'Ready')?.reason, 'ClusterConflict');
    await landscape.request('b', 'mcp', { labels: { [clusterNames.randomNameLabel]: 'true' } });
    assert.match((await landscape.settled('b')).status?.cluster?.name ?? '', /^mcp-[a-z0-9]{5}$/);
    await landscape.deleteRequest('owner');
    assert.equal((await landscape.settled('a')).status?.cluster?.name, name);
  });

  it('finds the cluster again for a request that comes back under another uid', async () => {
    await using landscape = await startTestClusters();
    const { metadata: old } = await landscape.request('a', 'mcp');
    const { status } = await landscape.settled('a');
    const before = await landscape.ready(status?.cluster?.name ?? '');
    await landscape.stop();
    const ref = { ...clusterRequests.ref, namespace: 'default', name: 'a' };
    await landscape.platform.patch<ClusterRequest>(ref, { type: 'merge', body: { metadata: { finalizers: [] } } });
    await landscape.deleteRequest('a');
    const { metadata } = await landscape.request('a', 'mcp');
    assert.notEqual(metadata.uid, old.uid);
    await landscape.restart();
    await landscape.settled('a');
    const after = await landscape.ready(status?.cluster?.name ?? '');
    assert.equal(after.metadata.uid, before.metadata.uid);
    assert.deepEqual(holdersOf(after), [metadata.uid]);
  });

  it('does not wait for the end of a cluster when it is asked not to', async () => {
    await using landscape = await startTestClusters();
    await landscape.request('a', 'mcp', { waitForClusterDeletion: false });
    const { status } = await landscape.settled('a');
    const place = status?.cluster ?? { name: '', namespace: '' };
    const { metadata } = await landscape.ready(place.name);
    await patchFinalizers(landscape, place, [...(metadata.finalizers ?? []), 'test.chandlery.io/stay']);
    await landscape.deleteRequest('a');
    await landscape.gone(() => landscape.findRequest('a'), 'the request');
    const cluster = await landscape.findCluster(place.name);
    assert.ok(cluster?.metadata.deletionTimestamp !== undefined);
    await patchFinalizers(landscape, place, [clusterNames.clusterFinalizer]);
    await landscape.gone(() => landscape.findCluster(place.name), 'the cluster');
  });
});
