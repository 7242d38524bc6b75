import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedInformers } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import { type Cluster, clusterRequests, clusters } from '../../kinds/index.ts';
import { accessInformers } from './access-informers.ts';
import { granter, readPods, TestAccess, tenant } from './test-access.ts';

test('a cluster leads to requests that do not name it yet, by way of the ClusterRequest that was given it', async () => {
  await using world = await TestAccess.start();
  await world.stop();
  const wish = { name: 'wish', namespace: tenant };
  await world.platform.create(
    { ...clusterRequests.ref, namespace: tenant },
    clusterRequests.object(wish, { purpose: 'mcp' }),
  );
  await world.setStatus(clusterRequests.ref, 'wish', {
    phase: 'Granted',
    cluster: { name: 'alpha', namespace: tenant },
  });
  await world.request('by-wish', { requestRef: wish, token: { permissions: [{ rules: readPods }] } });
  await world.request('by-name', { token: { permissions: [{ rules: readPods }] } });
  await using shared = new SharedInformers();
  const informers = accessInformers(world.platform, shared, granter);
  for (const informer of [informers.requests, informers.clusterRequests, informers.clusters]) informer.start();
  const cluster = await world.platform.get<Cluster>({ ...clusters.ref, namespace: tenant, name: 'alpha' });
  await eventually(async () => informers.requests.size === 2 && informers.clusterRequests.size === 1);
  assert.deepEqual([...informers.requestsOf.cluster(cluster)].sort(), [`${tenant}/by-name`, `${tenant}/by-wish`]);
});
