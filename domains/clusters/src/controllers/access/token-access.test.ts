import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseKubeconfig } from '@chandlery/client';
import { eventually } from '@chandlery/testing';
import { accessNamespace } from '../../model/access/access-names.ts';
import { accountOf, core, exists, namespace, rbac, readPods, secretRef, TestAccess, tenant } from './test-access.ts';

const pods = { ...core, plural: 'pods' };

describe('access by token', () => {
  test('a granted request has a kubeconfig with a token that the cluster issued', async () => {
    await using test = await TestAccess.start();
    await test.request('mine', { token: { permissions: [{ rules: readPods }] } });
    const request = await test.phase('mine', 'Granted');
    assert.deepEqual(request.status?.secretRef, { name: 'mine.kubeconfig' });
    assert.equal(request.metadata.labels?.['clusters.openmcp.cloud/provider'], 'chandlery');
    assert.equal(request.metadata.labels?.['clusters.openmcp.cloud/profile'], 'logical');
    const secret = await test.secret('mine');
    const { clusters, users } = parseKubeconfig(secret.kubeconfig ?? '', 'the Secret');
    assert.equal(clusters[0]?.cluster.server, 'https://landscape:7443/clusters/x');
    assert.equal(clusters[0]?.cluster['certificate-authority-data'], Buffer.from('CA').toString('base64'));
    assert.equal(users[0]?.user.token, secret.token);
    assert.equal(secret.host, 'https://landscape:7443/clusters/x');
    assert.equal(secret['ca.crt'], 'CA');
    const claims = JSON.parse(Buffer.from(secret.token?.split('.')[1] ?? '', 'base64url').toString()) as {
      sub: string;
    };
    assert.equal(claims.sub, `system:serviceaccount:${accessNamespace}:${accountOf('mine')}`);
    // 48 hours are requested; the token is issued a moment after the request.
    const lifeSeconds = Number(secret.expirationTimestamp) - Number(secret.creationTimestamp);
    assert.ok(lifeSeconds >= 48 * 3600 && lifeSeconds <= 48 * 3600 + 60, `${lifeSeconds}`);
    const [owner] = (await test.platform.get(secretRef('mine'))).metadata.ownerReferences ?? [];
    assert.equal(owner?.uid, request.metadata.uid);
  });

  test('the token gives just the rights of the request', async () => {
    await using test = await TestAccess.start();
    const permissions = [{ rules: readPods }, { namespace: 'work', rules: [{ ...readPods[0], verbs: ['create'] }] }];
    await test.request('mine', { token: { permissions } });
    await test.phase('mine', 'Granted');
    const holder = test.as('mine');
    assert.equal((await holder.list(pods)).items.length, 0);
    await assert.rejects(holder.list({ ...core, plural: 'secrets' }), { code: 'Forbidden' });
    await assert.rejects(holder.delete({ ...pods, namespace: 'work', name: 'x' }), { code: 'Forbidden' });
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'x' },
      spec: { containers: [{ name: 'a', image: 'a' }] },
    };
    await holder.create({ ...pods, namespace: 'work' }, pod);
    await assert.rejects(holder.create({ ...pods, namespace: 'default' }, pod), { code: 'Forbidden' });
  });

  test('a request without permissions may do nothing at all', async () => {
    await using test = await TestAccess.start();
    await test.request('mine', { token: {} });
    await test.phase('mine', 'Granted');
    assert.deepEqual(await test.things(), [`serviceaccounts ${accessNamespace}/${accountOf('mine')}`]);
    await assert.rejects(test.as('mine').list(pods), { code: 'Forbidden' });
  });

  test('existing roles are bound where the request says', async () => {
    await using test = await TestAccess.start();
    await test.request('mine', { token: { roleRefs: [{ kind: 'ClusterRole', name: 'view', namespace: 'default' }] } });
    await test.phase('mine', 'Granted');
    const holder = test.as('mine');
    assert.equal((await holder.list({ ...pods, namespace: 'default' })).items.length, 0);
    await assert.rejects(holder.list(pods), { code: 'Forbidden' });
  });

  test('what a changed request no longer wants is taken away', async () => {
    await using test = await TestAccess.start();
    const old = { permissions: [{ rules: readPods }, { namespace: 'work', rules: readPods }] };
    await test.request('mine', { token: { ...old, roleRefs: [{ kind: 'ClusterRole', name: 'view' }] } });
    await test.phase('mine', 'Granted');
    const roleRefs = [{ kind: 'ClusterRole', name: 'edit' }];
    await test.change('mine', { spec: { token: { permissions: [{ name: 'own', rules: readPods }], roleRefs } } });
    await test.phase('mine', 'Granted');
    const hash = accountOf('mine');
    assert.deepEqual(await test.things(), [
      `serviceaccounts ${accessNamespace}/${hash}`,
      'clusterroles own',
      `clusterrolebindings openmcp:permission:${hash}:0`,
      `clusterrolebindings openmcp:roleref:${hash}:0`,
    ]);
    const binding = await test.plane
      .connect('alpha')
      .get({ ...rbac, plural: 'clusterrolebindings', name: `openmcp:roleref:${hash}:0` });
    assert.deepEqual(binding['roleRef'], { apiGroup: rbac.group, kind: 'ClusterRole', name: 'edit' });
    assert.ok(await exists(test.plane.connect('alpha'), { ...core, plural: 'namespaces', name: 'work' }));
  });

  test('a namespace that must not be created is waited for', async () => {
    await using test = await TestAccess.start();
    const permissions = [{ namespace: 'theirs', disableAutomaticNamespaceCreation: true, rules: readPods }];
    await test.request('mine', { token: { permissions } });
    assert.match(await test.reason('mine', 'NamespaceMissing'), /"theirs"/);
    assert.equal((await test.read('mine')).status?.phase, 'Pending');
    await test.plane.connect('alpha').create({ ...core, plural: 'namespaces' }, namespace('theirs'));
    await test.phase('mine', 'Granted');
  });

  test('a role of another owner is neither changed nor deleted', async () => {
    await using test = await TestAccess.start();
    const admin = test.plane.connect('alpha');
    const ref = { ...rbac, plural: 'clusterroles', name: 'view' };
    const before = await admin.get(ref);
    await test.request('mine', { token: { permissions: [{ name: 'view', rules: readPods }] } });
    await test.reason('mine', 'NameTaken');
    await test.delete({
      ...secretRef('mine'),
      group: 'clusters.openmcp.cloud',
      version: 'v1alpha1',
      plural: 'accessrequests',
      name: 'mine',
    });
    await test.deleted('mine');
    assert.deepEqual((await admin.get(ref))['rules'], before['rules']);
  });

  test('a spec that the cluster rejects is denied, and reconciled again once it is changed', async () => {
    await using test = await TestAccess.start();
    const rules = [{ nonResourceURLs: ['/healthz'], verbs: ['get'] }];
    await test.request('mine', { token: { permissions: [{ namespace: 'work', rules }] } });
    await test.phase('mine', 'Denied');
    await test.change('mine', { spec: { token: { permissions: [{ rules }] } } });
    await test.phase('mine', 'Granted');
  });

  test('requests of one cluster share it without seeing each other', async () => {
    await using test = await TestAccess.start();
    await test.request('reader', { token: { permissions: [{ rules: readPods }] } });
    await test.request('nobody', { token: {} });
    await test.phase('reader', 'Granted');
    await test.phase('nobody', 'Granted');
    assert.equal((await test.as('reader').list(pods)).items.length, 0);
    await assert.rejects(test.as('nobody').list(pods), { code: 'Forbidden' });
  });

  test('says once that access was granted', async () => {
    await using test = await TestAccess.start();
    await test.request('mine', { token: {} });
    await test.phase('mine', 'Granted');
    const events = { ...core, plural: 'events', namespace: tenant };
    await eventually(async () => (await test.platform.list(events)).items.length > 0);
    const { items } = await test.platform.list(events);
    assert.deepEqual(
      items.map(({ reason, message }) => [reason, message]),
      [['AccessGranted', 'Secret "mine.kubeconfig" gives access to the cluster "tenant/alpha"']],
    );
  });
});
