import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { installKinds, SharedInformers } from '@chandlery/runtime';
import { eventually, startTestPlane } from '@chandlery/testing';
import {
  type Cluster,
  type ClusterProfile,
  type ClusterRequest,
  clusterNames,
  clusterProfiles,
  clusterRequests,
  clusters,
  type SchedulerConfig,
  schedulerConfigs,
} from '../../kinds/index.ts';
import { holdersOf, holdOf } from '../../model/scheduling/holds.ts';
import { startScheduler } from './start-scheduler.ts';

const place = { namespace: 'default', name: 'a' };

async function startAlone() {
  await using stack = new AsyncDisposableStack();
  const { client } = stack.use(await startTestPlane());
  const crds = [clusters, clusterProfiles, clusterRequests, schedulerConfigs].map(({ crd }) => crd);
  await installKinds(client, crds, { fieldManager: 'test' });
  const informers = stack.use(new SharedInformers());
  stack.use(
    startScheduler({
      client,
      clusters: informers.informer<Cluster>({ client, ref: clusters.ref }),
      requests: informers.informer<ClusterRequest>({ client, ref: clusterRequests.ref }),
      profiles: informers.informer<ClusterProfile>({ client, ref: clusterProfiles.ref }),
      configs: informers.informer<SchedulerConfig>({ client, ref: schedulerConfigs.ref }),
      orphanDelayMs: 20,
    }),
  );
  const all = stack.move();
  return { client, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

const heldCluster = (uids: readonly string[]): Cluster =>
  clusters.object(
    {
      ...place,
      labels: { [clusterNames.deleteWithoutRequestsLabel]: 'true' },
      finalizers: [clusterNames.clusterFinalizer, ...uids.map(holdOf)],
    },
    { profile: 'x', purposes: ['p'], tenancy: 'Shared' },
  );

describe('Finalizers of deleted requests', () => {
  it('are taken off clusters, which stay', async () => {
    await using scheduler = await startAlone();
    const { client } = scheduler;
    const request = clusterRequests.object({ name: 'r', namespace: 'default' }, { purpose: 'p' });
    const living = await client.create({ ...clusterRequests.ref, namespace: 'default' }, request);
    const uid = living.metadata.uid ?? '';
    await client.create({ ...clusters.ref, namespace: 'default' }, heldCluster([uid, 'gone']));
    const tidied = await eventually(async () => {
      const cluster = await client.get<Cluster>({ ...clusters.ref, ...place });
      return !holdersOf(cluster).includes('gone') && cluster;
    });
    assert.deepEqual(holdersOf(tidied), [uid]);
    assert.equal(tidied.metadata.deletionTimestamp, undefined);
  });

  it('do not keep a deleted cluster', async () => {
    await using scheduler = await startAlone();
    const { client } = scheduler;
    await client.create({ ...clusters.ref, namespace: 'default' }, heldCluster(['gone']));
    await client.delete({ ...clusters.ref, ...place });
    await eventually(async () => {
      const cluster = await client.get<Cluster>({ ...clusters.ref, ...place });
      return cluster.metadata.finalizers?.length === 1;
    });
  });

  it('go when a request goes that could not let go of its cluster', async () => {
    await using scheduler = await startAlone();
    const { client } = scheduler;
    const annotations = { 'chandlery.io/paused': 'true' };
    const request = clusterRequests.object({ name: 'r', namespace: 'default', annotations }, { purpose: 'p' });
    const paused = await client.create({ ...clusterRequests.ref, namespace: 'default' }, request);
    const uid = paused.metadata.uid ?? '';
    await client.create({ ...clusters.ref, namespace: 'default' }, heldCluster([uid]));
    await client.delete({ ...clusterRequests.ref, namespace: 'default', name: 'r' });
    await eventually(async () => {
      const cluster = await client.get<Cluster>({ ...clusters.ref, ...place });
      return holdersOf(cluster).length === 0;
    });
  });
});
