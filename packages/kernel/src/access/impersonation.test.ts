import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isError } from '@chandlery/api';
import { authorizeImpersonation, type DistinctHeaders, parseImpersonation } from './impersonation.ts';
import { accessWith, clusterRole, clusterRoleBinding, person, roleBinding, user } from './test-objects.ts';
import { anonymous, type UserInfo } from './user.ts';

describe('impersonation headers', () => {
  test('are absent from an ordinary request', () => {
    assert.equal(parseImpersonation({ accept: ['*/*'], 'impersonate-user': [''] }), undefined);
  });

  test('name user, uid, groups and extra fields', () => {
    const headers = {
      'impersonate-user': ['ann'],
      'impersonate-uid': ['7'],
      'impersonate-group': ['devs', 'a, b'],
      'impersonate-extra-scopes': ['x', 'y'],
      'impersonate-extra-acme.com%2fproject': ['z'],
    };
    assert.deepEqual(parseImpersonation(headers), {
      username: 'ann',
      uid: '7',
      groups: ['devs', 'a, b'],
      extra: { scopes: ['x', 'y'], 'acme.com/project': ['z'] },
    });
  });

  test('carry names in UTF-8', () => {
    const sent = Buffer.from('jürgen', 'utf8').toString('latin1');
    assert.equal(parseImpersonation({ 'impersonate-user': [sent] })?.username, 'jürgen');
  });

  const withoutUser: readonly DistinctHeaders[] = [
    { 'impersonate-group': ['devs'] },
    { 'impersonate-uid': ['7'] },
    { 'impersonate-extra-x': ['y'] },
  ];
  for (const headers of withoutUser) {
    test(`without a user are a bad request: ${Object.keys(headers).join()}`, () => {
      assert.throws(
        () => parseImpersonation(headers),
        thrown => isError(thrown, 'BadRequest'),
      );
    });
  }
});

describe('impersonation', () => {
  const verbs = ['impersonate'];
  const access = accessWith(
    clusterRole('ann-only', { verbs, apiGroups: [''], resources: ['users'], resourceNames: ['ann'] }),
    clusterRole('anybody', { verbs, apiGroups: [''], resources: ['users', 'serviceaccounts'] }),
    clusterRole('devs', { verbs, apiGroups: [''], resources: ['groups'], resourceNames: ['devs'] }),
    clusterRole('facts', { verbs, apiGroups: ['authentication.k8s.io'], resources: ['uids', 'userextras/scopes'] }),
    clusterRoleBinding('1', 'ann-only', user('helper'), user('lead')),
    clusterRoleBinding('2', 'devs', user('lead')),
    clusterRoleBinding('3', 'facts', user('lead')),
    clusterRoleBinding('4', 'anybody', user('support')),
    clusterRoleBinding('5', 'cluster-admin', user('owner')),
    roleBinding('ci', '6', 'ClusterRole/edit', user('editor')),
  );
  const as = (username: string, ...groups: string[]): DistinctHeaders => ({
    'impersonate-user': [username],
    'impersonate-group': groups,
  });
  const outcome = (who: UserInfo, headers: DistinctHeaders): UserInfo | string => {
    const wanted = parseImpersonation(headers);
    assert.ok(wanted);
    try {
      return authorizeImpersonation(access, who, wanted);
    } catch (thrown) {
      assert.ok(isError(thrown, 'Forbidden'));
      return thrown.message;
    }
  };
  const robot = 'system:serviceaccount:ci:robot';
  const robotGroups = ['system:serviceaccounts', 'system:serviceaccounts:ci', 'system:authenticated'];

  const allowed: readonly (readonly [who: string, DistinctHeaders, groups: readonly string[]])[] = [
    ['helper', as('ann'), ['system:authenticated']],
    ['lead', as('ann', 'devs'), ['devs', 'system:authenticated']],
    ['lead', { ...as('ann'), 'impersonate-uid': ['7'], 'impersonate-extra-scopes': ['x'] }, ['system:authenticated']],
    ['support', as(robot), robotGroups],
    ['support', as('system:anonymous'), ['system:unauthenticated']],
    ['editor', as(robot), robotGroups],
    ['owner', as('ann', 'system:masters'), ['system:masters', 'system:authenticated']],
    ['owner', as(robot, 'devs'), ['devs', 'system:authenticated']],
    ['owner', as('ann', 'system:unauthenticated'), ['system:unauthenticated']],
  ];
  for (const [who, headers, groups] of allowed) {
    test(`${who} may act as ${Object.values(headers).flat().join(' ')}`, () => {
      const result = outcome(person(who), headers);
      assert.ok(typeof result === 'object');
      assert.deepEqual([result.username, result.groups], [headers['impersonate-user']?.[0], groups]);
    });
  }

  test('uid and extra fields are taken over', () => {
    const headers = { ...as('ann'), 'impersonate-uid': ['7'], 'impersonate-extra-scopes': ['x'] };
    assert.deepEqual(outcome(person('lead'), headers), {
      username: 'ann',
      uid: '7',
      groups: ['system:authenticated'],
      extra: { scopes: ['x'] },
    });
  });

  const denied: readonly (readonly [UserInfo, DistinctHeaders, why: RegExp])[] = [
    [person('stranger'), as('ann'), /cannot impersonate resource "users" in API group "" at the cluster scope/],
    [anonymous, as('ann'), /User "system:anonymous" cannot impersonate resource "users"/],
    [person('helper'), as('bob'), /users "bob" is forbidden/],
    [person('helper'), as('ann', 'devs'), /groups "devs" is forbidden/],
    [person('lead'), as('ann', 'system:masters'), /groups "system:masters" is forbidden/],
    [person('support'), as('ann', 'system:masters'), /groups "system:masters" is forbidden/],
    [person('helper'), { ...as('ann'), 'impersonate-uid': ['7'] }, /uids.authentication.k8s.io "7" is forbidden/],
    [
      person('lead'),
      { ...as('ann'), 'impersonate-extra-other': ['x'] },
      /resource "userextras\/other" in API group "authentication.k8s.io"/,
    ],
    [person('helper'), as(robot), /serviceaccounts "robot" is forbidden: .* in the namespace "ci"/],
    [person('editor'), as('system:serviceaccount:prod:robot'), /in the namespace "prod"/],
    [person('editor'), as('ann'), /users "ann" is forbidden/],
  ];
  for (const [who, headers, why] of denied) {
    test(`${who.username} may not act as ${Object.values(headers).flat().join(' ')}`, () => {
      const refused = outcome(who, headers);
      assert.ok(typeof refused === 'string');
      assert.match(refused, why);
    });
  }
});
