import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hash8 } from './kinds/hashed-names.ts';
import { clusterNames } from './kinds/names.ts';
import { startTestClusters } from './test-clusters.ts';

describe('A landscape of clusters', () => {
  it('begins with the clusters platform and onboarding', async () => {
    await using landscape = await startTestClusters();
    const platform = await landscape.ready('platform');
    const onboarding = await landscape.ready('onboarding');
    assert.deepEqual(onboarding.status?.endpoints?.map(({ name }) => name).sort(), [
      'apiserver-external',
      'apiserver-internal',
    ]);
    assert.equal(onboarding.status?.apiServer, 'https://landscape.test:7443/clusters/onboarding');
    assert.equal(platform.metadata.labels?.[clusterNames.providerLabel], 'chandlery');
    assert.equal(platform.metadata.labels?.[clusterNames.versionLabel], '1.34.1');
  });

  it('makes a cluster of its own for an exclusive request, and takes it away with it', async () => {
    await using landscape = await startTestClusters();
    await landscape.request('a', 'mcp', { labels: { 'metadata.open-control-plane.io/project': 'p', other: 'x' } });
    const { status } = await landscape.settled('a');
    const name = `mcp-${hash8('default', 'a')}`;
    assert.deepEqual(status?.cluster, { name, namespace: 'openmcp-system' });
    const cluster = await landscape.ready(name);
    assert.equal(cluster.metadata.labels?.['metadata.open-control-plane.io/project'], 'p');
    assert.equal(cluster.metadata.labels?.['other'], undefined);
    const source = landscape.running.sourceOf(cluster);
    assert.equal(source?.name, 'logical');
    const client = await source.connect(cluster);
    const namespace = { group: '', version: 'v1', plural: 'namespaces', name: 'default' };
    assert.equal((await client.get(namespace)).metadata.name, 'default');
    await landscape.deleteRequest('a');
    await landscape.gone(() => landscape.findRequest('a'), 'the request');
    assert.equal(await landscape.findCluster(name), undefined);
  });
});
