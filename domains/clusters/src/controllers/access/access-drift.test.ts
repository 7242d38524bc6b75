import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import { findCondition } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import { accessNamespace } from '../../model/access/access-names.ts';
import { accountOf, core, namespace, rbac, readPods, requestRef, TestAccess } from './test-access.ts';

const hash = accountOf('mine');
const pods = { ...core, plural: 'pods' };
const clusterRole = { ...rbac, plural: 'clusterroles', name: `openmcp:permission:${hash}:0` };
const clusterBinding = { ...rbac, plural: 'clusterrolebindings', name: `openmcp:permission:${hash}:0` };
const account = { ...core, plural: 'serviceaccounts', namespace: accessNamespace, name: hash };

async function granted(): Promise<TestAccess> {
  const test = await TestAccess.start();
  const permissions = [{ rules: readPods }, { namespace: 'work', rules: readPods }];
  await test.request('mine', { token: { permissions } });
  await test.phase('mine', 'Granted');
  return test;
}

describe('what was given', () => {
  for (const ref of [account, clusterRole, clusterBinding]) {
    test(`is restored when another client deletes it: ${ref.plural}`, async () => {
      await using test = await granted();
      const before = await test.things();
      const admin = test.plane.connect('alpha');
      const { uid } = (await admin.get(ref)).metadata;
      await admin.delete(ref);
      await eventually(async () => (await admin.get(ref)).metadata.uid !== uid);
      await eventually(async () => (await test.as('mine').list(pods)).items.length === 0);
      assert.deepEqual(await test.things(), before);
    });
  }

  const edits: readonly {
    readonly what: string;
    readonly ref: typeof account | typeof clusterRole;
    body: JsonObject;
  }[] = [
    { what: 'rules', ref: clusterRole, body: { rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] } },
    { what: 'subjects', ref: clusterBinding, body: { subjects: [] } },
    { what: 'labels', ref: clusterRole, body: { metadata: { labels: null } } },
    { what: 'labels of the account', ref: account, body: { metadata: { labels: null } } },
  ];
  for (const { what, ref, body } of edits) {
    test(`is repaired when another client edits its ${what}`, async () => {
      await using test = await granted();
      const admin = test.plane.connect('alpha');
      const { metadata, rules, subjects } = await admin.get(ref);
      await admin.patch(ref, { type: 'merge', body });
      await eventually(async () => {
        const now = await admin.get(ref);
        assert.deepEqual([now.rules, now.subjects, now.metadata.labels], [rules, subjects, metadata.labels]);
        return true;
      });
    });
  }

  test('is put back with its namespace', async () => {
    await using test = await granted();
    const before = await test.things();
    const admin = test.plane.connect('alpha');
    const work = { ...core, plural: 'namespaces', name: 'work' };
    const { uid } = (await admin.get(work)).metadata;
    await admin.delete(work);
    // A terminating namespace accepts no new objects, so that the step is retried after a while.
    await test.leapUntil(60_000, async () => {
      assert.notEqual((await admin.get(work)).metadata.uid, uid);
      assert.deepEqual(await test.things(), before);
      return true;
    });
  });

  test('stays granted while the cluster cannot be reached', async () => {
    await using test = await granted();
    const { token } = await test.secret('mine');
    test.source.isDown = true;
    await test.change('mine', { metadata: { annotations: { 'chandlery.io/reconcile-requested-at': '1' } } });
    await test.reason('mine', 'ClusterUnreachable');
    assert.equal((await test.read('mine')).status?.phase, 'Granted');
    test.source.isDown = false;
    await test.leapUntil(60_000, async () => findCondition(await test.read('mine'), 'Ready')?.status === 'True');
    assert.equal((await test.secret('mine')).token, token);
  });

  test('does not grow by things that bear its labels', async () => {
    await using test = await granted();
    const admin = test.plane.connect('alpha');
    const before = await test.things();
    const { labels } = (await admin.get(account)).metadata;
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'forged', labels },
    };
    await admin.create({ ...rbac, plural: 'clusterroles' }, { ...role, rules: [] });
    await eventually(async () => {
      assert.deepEqual(await test.things(), before);
      return true;
    });
  });

  test('is not taken for that of another landscape on the same cluster', async () => {
    await using test = await granted();
    const admin = test.plane.connect('alpha');
    const { labels } = (await admin.get(account)).metadata;
    const theirs = { ...labels, 'openmcp.cloud/environment': 'another' };
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'theirs', labels: theirs },
    };
    await admin.create({ ...rbac, plural: 'clusterroles' }, { ...role, rules: [] });
    await test.delete(requestRef('mine'));
    await test.deleted('mine');
    assert.deepEqual(await test.things(), ['clusterroles theirs']);
  });

  test('is repaired on every cluster that requests use', async () => {
    await using test = await TestAccess.start(['alpha', 'beta']);
    for (const name of ['alpha', 'beta']) {
      await test.request(name, {
        clusterRef: { name, namespace: 'tenant' },
        token: { permissions: [{ rules: readPods }] },
      });
      await test.phase(name, 'Granted');
    }
    for (const name of ['alpha', 'beta']) {
      const things = await test.things(name);
      assert.equal(things.length, 3);
      const admin = test.plane.connect(name);
      await admin.create({ ...core, plural: 'namespaces' }, namespace('noise'));
      await admin.delete({ ...clusterBinding, name: `openmcp:permission:${accountOf(name)}:0` });
      await eventually(async () => (await test.things(name)).length === 3);
    }
  });
});
