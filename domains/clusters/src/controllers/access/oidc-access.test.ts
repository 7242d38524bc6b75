import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseKubeconfig } from '@chandlery/client';
import { accountOf, core, readPods, TestAccess, tenant } from './test-access.ts';

const pods = { ...core, plural: 'pods' };
const oidc = {
  name: 'corp',
  issuer: 'https://login.example.org',
  clientID: 'kubernetes',
  usernameClaim: 'sub',
  groupsClaim: 'groups',
  extraScopes: ['email', 'groups'],
  roles: [{ name: 'pod-reader', rules: readPods }],
  roleBindings: [
    {
      subjects: [
        { kind: 'User' as const, name: 'ann' },
        { kind: 'Group' as const, name: 'crew' },
      ],
      roleRefs: [{ kind: 'ClusterRole' as const, name: 'pod-reader' }],
    },
  ],
};

describe('access by OpenID', () => {
  test('gives a kubeconfig by which people log in, and no token', async () => {
    await using test = await TestAccess.start();
    await test.request('people', { oidc });
    await test.phase('people', 'Granted');
    const secret = await test.secret('people');
    assert.deepEqual(Object.keys(secret).sort(), ['ca.crt', 'clientID', 'host', 'kubeconfig']);
    assert.equal(secret.clientID, 'kubernetes');
    const { users } = parseKubeconfig(secret.kubeconfig ?? '', 'the Secret');
    assert.equal(users[0]?.user.exec?.command, 'kubectl');
    assert.deepEqual(users[0]?.user.exec?.args, [
      'oidc-login',
      'get-token',
      '--oidc-issuer-url=https://login.example.org',
      '--oidc-client-id=kubernetes',
      '--oidc-extra-scope=email',
      '--oidc-extra-scope=groups',
    ]);
  });

  test('gives rights to users and groups of the issuer only', async () => {
    await using test = await TestAccess.start();
    await test.request('people', { oidc });
    await test.phase('people', 'Granted');
    const as = (username: string, groups: string[] = []) => test.plane.connect('alpha', { username, groups });
    assert.equal((await as('corp:ann').list(pods)).items.length, 0);
    assert.equal((await as('corp:bob', ['corp:crew']).list(pods)).items.length, 0);
    await assert.rejects(as('ann').list(pods), { code: 'Forbidden' });
    await assert.rejects(as('corp:bob', ['crew']).list(pods), { code: 'Forbidden' });
    const hash = accountOf('people');
    assert.deepEqual(await test.things(), ['clusterroles pod-reader', `clusterrolebindings openmcp:roleref:${hash}:0`]);
  });

  test('takes the place of access by token', async () => {
    await using test = await TestAccess.start();
    await test.request('people', { token: { permissions: [{ rules: readPods }] } });
    await test.phase('people', 'Granted');
    await test.change('people', { spec: { token: null, oidc } });
    await test.phase('people', 'Granted');
    assert.equal((await test.secret('people')).token, undefined);
    const things = await test.things();
    assert.ok(!things.some(thing => thing.startsWith('serviceaccounts')), things.join());
  });

  test('waits for the namespace of a role that is to be bound', async () => {
    await using test = await TestAccess.start();
    const roleRefs = [{ kind: 'Role' as const, name: 'theirs', namespace: 'later' }];
    await test.request('people', { oidc: { ...oidc, roleBindings: [{ subjects: [], roleRefs }] } });
    assert.match(await test.reason('people', 'NamespaceMissing'), /"later"/);
    assert.equal(tenant, (await test.read('people')).metadata.namespace);
  });
});
