import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '@chandlery/testing';
import { hash8 } from '../../kinds/hashed-names.ts';
import { clusterSourceContract } from '../cluster-source-contract.ts';
import { someCluster, startTestLogical } from '../test-logical.ts';
import { logicalClusters } from './logical-cluster.ts';

clusterSourceContract('logical', async () => ({ ...(await startTestLogical()), cluster: someCluster('a') }));

const { signal } = new AbortController();

describe('The source of logical clusters', () => {
  it('gives clusters outside the system namespace names that cannot clash', async () => {
    await using test = await startTestLogical();
    const cluster = someCluster('onboarding', 'tenant');
    await eventually(async () => (await test.source.ensure(cluster, signal)).isReady);
    const { server } = await test.source.address(cluster);
    assert.equal(server, `https://landscape.test/clusters/onboarding-${hash8('tenant', 'onboarding')}`);
  });

  it('finds a name for clusters with dots in theirs', async () => {
    await using test = await startTestLogical();
    const cluster = someCluster('a.b');
    await eventually(async () => (await test.source.ensure(cluster, signal)).isReady);
  });

  it('does not take over a logical cluster of another owner', async () => {
    await using test = await startTestLogical();
    await test.plane.createCluster('mine');
    const cluster = someCluster('mine');
    const state = await eventually(async () => {
      const found = await test.source.ensure(cluster, signal);
      return found.reason === 'NameTaken' && found;
    });
    assert.match(state.message, /"mine" was not made for this Cluster/);
    await assert.rejects(test.source.connect(cluster), { code: 'ClusterNotReady' });
    assert.equal(await test.source.remove(cluster, signal), true);
    assert.ok(await test.platform.get({ ...logicalClusters, name: 'mine' }));
  });

  it('never deletes the clusters that the landscape lives in', async () => {
    await using test = await startTestLogical();
    const onboarding = someCluster('onboarding');
    await eventually(async () => (await test.source.ensure(onboarding, signal)).isReady);
    assert.equal(await test.source.remove(onboarding, signal), true);
    const { metadata } = await test.platform.get({ ...logicalClusters, name: 'onboarding' });
    assert.equal(metadata.deletionTimestamp, undefined);
  });

  it('cannot reach a cluster before it is created, and after it is deleted', async () => {
    await using test = await startTestLogical();
    const cluster = someCluster('a');
    await assert.rejects(test.source.connect(cluster), { code: 'ClusterNotReady' });
    await eventually(async () => (await test.source.ensure(cluster, signal)).isReady);
    await test.source.connect(cluster);
    await eventually(() => test.source.remove(cluster, signal));
    await assert.rejects(test.source.connect(cluster), { code: 'ClusterNotReady' });
  });
});
