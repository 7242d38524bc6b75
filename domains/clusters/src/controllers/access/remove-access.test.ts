import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { clusters } from '../../kinds/index.ts';
import { accessNamespace } from '../../model/access/access-names.ts';
import { accountOf, core, exists, readPods, requestRef, secretRef, TestAccess, tenant } from './test-access.ts';

const token = { permissions: [{ rules: readPods }, { namespace: 'work', rules: readPods }] };
const alpha = { ...clusters.ref, namespace: tenant, name: 'alpha' };
const account = { ...core, plural: 'serviceaccounts', namespace: accessNamespace, name: accountOf('mine') };

async function granted(): Promise<TestAccess> {
  const test = await TestAccess.start();
  await test.request('mine', { token });
  await test.phase('mine', 'Granted');
  return test;
}

const isDeleting = (test: TestAccess): Promise<true> =>
  eventually(async () => (await test.read('mine')).metadata.deletionTimestamp !== undefined && true);

describe('a deleted request', () => {
  test('takes with it all but the namespaces', async () => {
    await using test = await granted();
    await test.delete(requestRef('mine'));
    await test.deleted('mine');
    assert.deepEqual(await test.things(), []);
    assert.equal(await exists(test.platform, secretRef('mine')), false);
    assert.ok(await exists(test.plane.connect('alpha'), { ...core, plural: 'namespaces', name: 'work' }));
  });

  test('leaves alone what other requests have', async () => {
    await using test = await granted();
    await test.request('other', { token: { permissions: [{ rules: readPods }] } });
    await test.phase('other', 'Granted');
    await test.delete(requestRef('mine'));
    await test.deleted('mine');
    assert.equal((await test.things()).length, 3);
    assert.equal((await test.as('other').list({ ...core, plural: 'pods' })).items.length, 0);
  });

  test('waits for a cluster that cannot be reached, and says so', async () => {
    await using test = await granted();
    test.source.isDown = true;
    await test.delete(requestRef('mine'));
    assert.match(await test.reason('mine', 'ClusterUnreachable'), /no server listens/);
    assert.ok(await exists(test.platform, secretRef('mine')));
    test.source.isDown = false;
    await test.leapUntil(60_000, async () => !(await exists(test.platform, requestRef('mine'))));
    assert.deepEqual(await test.things(), []);
  });

  test('does not wait for a cluster that goes after it', async () => {
    await using test = await granted();
    test.source.isDown = true;
    await test.delete(requestRef('mine'));
    await isDeleting(test);
    await test.delete(alpha);
    await test.deleted('mine');
  });

  test('waits while another owner still holds the cluster', async () => {
    await using test = await granted();
    const held = { metadata: { finalizers: ['clusters.openmcp.cloud/finalizer', 'request.clusters.openmcp.cloud/1'] } };
    await test.platform.patch(alpha, { type: 'merge', body: held });
    await test.delete(alpha);
    test.source.isDown = true;
    await test.delete(requestRef('mine'));
    await test.reason('mine', 'ClusterUnreachable');
    const released = { metadata: { finalizers: ['clusters.openmcp.cloud/finalizer'] } };
    await test.platform.patch(alpha, { type: 'merge', body: released });
    await test.deleted('mine');
  });

  test('does not wait for a cluster that is deleted already', async () => {
    await using test = await granted();
    await test.platform.patch(alpha, { type: 'merge', body: { metadata: { finalizers: null } } });
    await test.delete(alpha);
    await test.phase('mine', 'Denied');
    await test.reason('mine', 'ClusterNotFound');
    await test.delete(requestRef('mine'));
    await test.deleted('mine');
    assert.equal(await exists(test.platform, secretRef('mine')), false);
  });

  test('goes at once when it was never accepted', async () => {
    await using test = await TestAccess.start();
    await test.request('mine', { clusterRef: { name: 'nowhere', namespace: tenant }, token });
    await test.phase('mine', 'Denied');
    await test.delete(requestRef('mine'));
    await test.deleted('mine');
  });

  test('goes also when it was denied after it was granted', async () => {
    await using test = await granted();
    await test.change('mine', { spec: { token: { roleRefs: [{ kind: 'Role', name: 'x' }] } } });
    await test.phase('mine', 'Denied');
    await test.delete(requestRef('mine'));
    await test.deleted('mine');
    assert.deepEqual(await test.things(), []);
  });

  test('is cleaned up after when no controller ran while it was deleted', async () => {
    await using test = await granted();
    await test.stop();
    await test.delete(requestRef('mine'));
    test.run();
    await test.deleted('mine');
    assert.deepEqual(await test.things(), []);
  });

  test('waits for things that finalizers of others hold, and names them', async () => {
    await using test = await granted();
    const admin = test.plane.connect('alpha');
    await admin.patch(account, { type: 'merge', body: { metadata: { finalizers: ['example.org/held'] } } });
    await test.delete(requestRef('mine'));
    assert.match(await test.reason('mine', 'RemovingAccess'), /ServiceAccount/);
    await admin.patch(account, { type: 'merge', body: { metadata: { finalizers: null } } });
    await test.deleted('mine');
  });
});
