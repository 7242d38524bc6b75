import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findCondition } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import { clusterProfiles, clusterRequests, clusters } from '../../kinds/index.ts';
import { exists, readPods, requestRef as requestPlace, TestAccess, tenant } from './test-access.ts';

const hour = 3_600_000;
const token = { permissions: [{ rules: readPods }] };
const requestRef = { name: 'wish', namespace: tenant };
const wish = clusterRequests.object({ name: 'wish', namespace: tenant }, { purpose: 'mcp' });

describe('the standing of a request', () => {
  test('follows that of its ClusterRequest', async () => {
    await using test = await TestAccess.start();
    await test.request('mine', { requestRef, token });
    assert.match(await test.reason('mine', 'ClusterRequestNotFound'), /"tenant\/wish"/);
    await test.platform.create({ ...clusterRequests.ref, namespace: tenant }, wish);
    await test.reason('mine', 'ClusterRequestPending');
    assert.equal((await test.read('mine')).status?.phase, 'Pending');
    await test.setStatus(clusterRequests.ref, 'wish', { phase: 'Denied' });
    await test.reason('mine', 'ClusterRequestDenied');
    assert.equal((await test.read('mine')).status?.phase, 'Denied');
    await test.setStatus(clusterRequests.ref, 'wish', {
      phase: 'Granted',
      cluster: { name: 'alpha', namespace: tenant },
    });
    const granted = await test.phase('mine', 'Granted');
    assert.deepEqual(granted.spec.clusterRef, { name: 'alpha', namespace: tenant });
  });

  test('is denied while there is no such cluster, and pending until the cluster is ready', async () => {
    await using test = await TestAccess.start();
    await test.plane.createCluster('beta');
    await test.request('mine', { clusterRef: { name: 'beta', namespace: tenant }, token });
    await test.reason('mine', 'ClusterNotFound');
    assert.equal((await test.read('mine')).status?.phase, 'Denied');
    await test.createCluster('beta', { phase: 'Progressing' });
    await test.reason('mine', 'ClusterNotReady');
    const waiting = await test.read('mine');
    assert.equal(waiting.status?.phase, 'Pending');
    assert.deepEqual(waiting.metadata.finalizers ?? [], [], 'a request that was never served goes at once');
    await test.setStatus(clusters.ref, 'beta', { phase: 'Ready' });
    await test.phase('mine', 'Granted');
  });

  test('of a cluster of another provider is left to that provider', async () => {
    await using test = await TestAccess.start();
    const profile = { name: 'logical' };
    await test.platform.patch(
      { ...clusterProfiles.ref, ...profile },
      { type: 'merge', body: { spec: { providerRef: { name: 'gardener' } } } },
    );
    await test.request('mine', { token });
    const theirs = await test.phase('mine', 'Pending');
    assert.equal(theirs.metadata.labels?.['clusters.openmcp.cloud/provider'], 'gardener');
    assert.deepEqual(theirs.metadata.finalizers ?? [], []);
    assert.equal(findCondition(theirs, 'Ready')?.reason, 'WaitingForProvider');
    await test.setStatus({ group: 'clusters.openmcp.cloud', version: 'v1alpha1', plural: 'accessrequests' }, 'mine', {
      phase: 'Granted',
      observedGeneration: 1,
    });
    await test.change('mine', { spec: { token: { permissions: null } } });
    await test.phase('mine', 'Pending');
    assert.deepEqual(await test.things(), []);
  });

  test('is denied for an invalid ttl', async () => {
    await using test = await TestAccess.start();
    await test.request('mine', { token, ttl: 'soon' });
    assert.match(await test.reason('mine', 'InvalidTtl'), /"soon"/);
    assert.equal((await test.read('mine')).status?.phase, 'Denied');
    await test.change('mine', { spec: { ttl: '1h' } });
    await test.phase('mine', 'Granted');
  });

  test('ends with its ttl, and with it all that was given', async () => {
    await using test = await TestAccess.start();
    await test.request('mine', { token, ttl: '1h30m' });
    await test.phase('mine', 'Granted');
    test.time.leap(hour);
    await test.change('mine', { metadata: { annotations: { note: 'still there' } } });
    await test.phase('mine', 'Granted');
    await test.leapUntil(hour / 2, async () => !(await exists(test.platform, requestPlace('mine'))));
    assert.deepEqual(await test.things(), []);
  });

  test('ends with its ttl also while the cluster cannot be reached, and when the time passed unseen', async () => {
    await using test = await TestAccess.start();
    await test.request('mine', { token, ttl: '1h' });
    await test.phase('mine', 'Granted');
    await test.stop();
    test.time.leap(2 * hour);
    test.source.isDown = true;
    test.run();
    await eventually(async () => (await test.read('mine')).metadata.deletionTimestamp !== undefined);
    assert.match(await test.reason('mine', 'ClusterUnreachable'), /no server listens/);
    test.source.isDown = false;
    await test.leapUntil(60_000, async () => !(await exists(test.platform, requestPlace('mine'))));
    assert.deepEqual(await test.things(), []);
  });

  test('is reconciled again on request', async () => {
    await using test = await TestAccess.start();
    await test.request('mine', { token: { roleRefs: [{ kind: 'Role', name: 'x' }] } });
    await test.phase('mine', 'Denied');
    assert.match(await test.reason('mine', 'InvalidRoleRef'), /no namespace/);
    await test.change('mine', { metadata: { annotations: { 'chandlery.io/reconcile-requested-at': '1' } } });
    await eventually(async () => (await test.read('mine')).status?.lastHandledReconcileAt === '1');
    await test.phase('mine', 'Denied');
  });
});
