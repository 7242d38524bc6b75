import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { withNewToken } from '../../model/access/token-copies.ts';
import { accountOf, core, readPods, TestAccess, tenant } from './test-access.ts';

const hour = 3_600_000;
const copyRef = { ...core, plural: 'secrets', namespace: 'default', name: 'credentials' };

const jwtOf = (sub: string, salt = 'x'): string =>
  ['{"alg":"none"}', JSON.stringify({ sub }), salt].map(part => Buffer.from(part).toString('base64url')).join('.');

describe('A text with tokens', () => {
  const own = 'system:serviceaccount:openmcp-access:abc';
  const cases = [
    { why: 'a token alone', text: jwtOf(own), becomes: 'NEW' },
    { why: 'a token in a kubeconfig', text: `user: {token: "${jwtOf(own)}"}`, becomes: 'user: {token: "NEW"}' },
    { why: 'an old one and an older one', text: `${jwtOf(own)} ${jwtOf(own, 'y')}`, becomes: 'NEW NEW' },
    { why: 'of another account', text: jwtOf(`${own}d`), becomes: jwtOf(`${own}d`) },
    { why: 'what only looks like one', text: 'eyJ.eyJ.eyJ and eyJhbGc.%%%', becomes: 'eyJ.eyJ.eyJ and eyJhbGc.%%%' },
  ];
  for (const { why, text, becomes } of cases)
    test(`gets the newest one: ${why}`, () => assert.equal(withNewToken(text, 'abc', 'NEW'), becomes));
});

describe('Copies of a token', () => {
  async function withCopy(): Promise<TestAccess> {
    const test = await TestAccess.start(['alpha', 'beta']);
    await test.request('mine', { token: { permissions: [{ rules: readPods }] } });
    await test.phase('mine', 'Granted');
    const { token = '', kubeconfig = '' } = await test.secret('mine');
    const stringData = { token, kubeconfig, other: 'kept' };
    const data = Object.fromEntries(Object.entries(stringData).map(([key, text]) => [key, btoa(text)]));
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: copyRef.name, namespace: 'default' }, data };
    await test.plane.connect('beta').create(copyRef, secret);
    const copies = [{ clusterRef: { name: 'beta', namespace: tenant }, namespace: 'default', name: copyRef.name }];
    await test.change('mine', { spec: { copies } });
    return test;
  }

  const copyOf = async (test: TestAccess): Promise<Record<string, string>> => {
    const { data } = await test.plane.connect('beta').get(copyRef);
    return Object.fromEntries(
      Object.entries(data as Record<string, string>).map(([key, text]) => [
        key,
        Buffer.from(text, 'base64').toString(),
      ]),
    );
  };

  test('are renewed with it, days later, on another cluster', async () => {
    await using test = await withCopy();
    const first = await copyOf(test);
    await test.leapUntil(39 * hour, async () => (await copyOf(test))['token'] !== first['token']);
    const renewed = await copyOf(test);
    const { token = '' } = await test.secret('mine');
    assert.equal(renewed['token'], token);
    assert.ok(renewed['kubeconfig']?.includes(token));
    assert.equal(renewed['other'], 'kept');
  });

  test('follow a new service account at once, and a renewal that they had missed', async () => {
    await using test = await withCopy();
    const first = await copyOf(test);
    await test.plane
      .connect('alpha')
      .delete({ ...core, plural: 'serviceaccounts', namespace: 'openmcp-access', name: accountOf('mine') });
    const second = await eventually(async () => {
      const copy = await copyOf(test);
      return copy['token'] !== first['token'] && copy;
    });
    const data = { token: btoa(first['token'] ?? '') };
    await test.plane.connect('beta').patch(copyRef, { type: 'merge', body: { data } });
    await test.change('mine', { metadata: { annotations: { 'chandlery.io/reconcile-requested-at': '1' } } });
    await eventually(async () => (await copyOf(test))['token'] === second['token']);
  });

  test('whose Secret or cluster is deleted block nothing', async () => {
    await using test = await withCopy();
    await test.plane.connect('beta').delete(copyRef);
    const copies = [
      { clusterRef: { name: 'beta', namespace: tenant }, namespace: 'default', name: copyRef.name },
      { clusterRef: { name: 'gone', namespace: tenant }, namespace: 'default', name: 'x' },
    ];
    await test.change('mine', { spec: { copies } });
    await test.phase('mine', 'Granted');
    await test.reason('mine', 'AccessGranted');
  });
});
