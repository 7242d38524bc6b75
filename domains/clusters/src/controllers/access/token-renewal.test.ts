import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { accessNamespace } from '../../model/access/access-names.ts';
import { accountOf, core, readPods, secretRef, TestAccess, tenant } from './test-access.ts';

const hour = 3_600_000;

/** Waits until the Secret has another token than before. */
const newToken = (test: TestAccess, before: Record<string, string>): Promise<Record<string, string>> =>
  eventually(
    async () => {
      const now = await test.secret('mine');
      return now.token !== undefined && now.token !== before.token && now;
    },
    { what: 'a new token' },
  );

async function granted(): Promise<TestAccess> {
  const test = await TestAccess.start();
  await test.request('mine', { token: { permissions: [{ rules: readPods }] } });
  await test.phase('mine', 'Granted');
  return test;
}

describe('tokens', () => {
  test('are renewed when four fifths of their life are over, and not before', async () => {
    await using test = await granted();
    const first = await test.secret('mine');
    test.time.leap(38 * hour);
    // A reconcile for another reason keeps the token.
    await test.change('mine', { metadata: { annotations: { 'chandlery.io/reconcile-requested-at': '1' } } });
    await eventually(async () => (await test.read('mine')).status?.lastHandledReconcileAt === '1');
    assert.equal((await test.secret('mine')).token, first.token);
    await test.leapUntil(hour, async () => (await test.secret('mine')).token !== first.token);
    const events = { ...core, plural: 'events', namespace: tenant };
    await eventually(async () =>
      (await test.platform.list(events)).items.some(({ reason }) => reason === 'AccessRenewed'),
    );
    const second = await test.secret('mine');
    assert.ok(Number(second.expirationTimestamp) > Number(first.expirationTimestamp));
    await test.leapUntil(10 * hour, async () => (await test.secret('mine')).token !== second.token);
  });

  const spoilers: readonly { readonly name: string; readonly spoil: (test: TestAccess) => Promise<unknown> }[] = [
    { name: 'the Secret was deleted', spoil: test => test.platform.delete(secretRef('mine')) },
    {
      name: 'the Secret has lost its token',
      spoil: test => test.platform.patch(secretRef('mine'), { type: 'merge', body: { data: { token: null } } }),
    },
    {
      name: 'the kubeconfig was edited',
      spoil: test => test.platform.patch(secretRef('mine'), { type: 'merge', body: { data: { kubeconfig: 'eA==' } } }),
    },
    {
      name: 'the labels of the Secret are removed',
      spoil: test => test.platform.patch(secretRef('mine'), { type: 'merge', body: { metadata: { labels: null } } }),
    },
    {
      name: 'the service account is a new one',
      spoil: test =>
        test.plane
          .connect('alpha')
          .delete({ ...core, plural: 'serviceaccounts', namespace: accessNamespace, name: accountOf('mine') }),
    },
  ];
  for (const { name, spoil } of spoilers) {
    test(`are renewed when ${name}`, async () => {
      await using test = await granted();
      const before = await test.secret('mine');
      await spoil(test);
      const after = await newToken(test, before);
      assert.match(after.kubeconfig ?? '', /token: /);
      assert.ok(((await test.platform.get(secretRef('mine'))).metadata.labels ?? {})['openmcp.cloud/managed-by']);
    });
  }

  test('are renewed when the cluster has moved', async () => {
    await using test = await granted();
    const before = await test.secret('mine');
    test.source.move({ server: 'https://elsewhere:7443', caPem: 'new CA' });
    const after = await newToken(test, before);
    assert.equal(after.host, 'https://elsewhere:7443');
    assert.equal(after['ca.crt'], 'new CA');
    assert.match(after.kubeconfig ?? '', /server: https:\/\/elsewhere:7443/);
  });

  test('are still renewed after a restart', async () => {
    await using test = await granted();
    const before = await test.secret('mine');
    await test.stop();
    test.time.leap(39 * hour);
    test.run();
    await newToken(test, before);
  });

  test('a Secret of another owner is left alone', async () => {
    await using test = await TestAccess.start();
    const { name } = secretRef('mine');
    const theirs = { apiVersion: 'v1', kind: 'Secret', metadata: { name }, data: { own: 'eA==' } };
    await test.platform.create({ ...core, plural: 'secrets', namespace: tenant }, theirs);
    await test.request('mine', { token: {} });
    await test.reason('mine', 'NameTaken');
    assert.deepEqual(await test.secret('mine'), { own: 'x' });
    await test.delete(secretRef('mine'));
    await test.leapUntil(60_000, async () => (await test.read('mine')).status?.phase === 'Granted');
  });
});
