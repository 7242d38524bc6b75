import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RequestAttributes } from './rbac.ts';
import { accessWith, clusterRole, clusterRoleBinding, group, person, role, roleBinding, user } from './test-objects.ts';
import { anonymous, type UserInfo } from './user.ts';

const on = (verb: string, resource: string, namespace = '', name = ''): RequestAttributes => {
  const [plural = '', apiGroup = ''] = resource.split('.');
  return { verb, group: apiGroup, resource: plural, namespace, name };
};

const robot: UserInfo = {
  username: 'system:serviceaccount:ci:robot',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:ci', 'system:authenticated'],
};

describe('decisions', () => {
  const getPods = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
  const access = accessWith(
    role('d', 'reader', getPods),
    clusterRole('reader', getPods),
    clusterRole('pathfinder', { verbs: ['get'], nonResourceURLs: ['/debug/*'] }),
    roleBinding('d', 'by-role', 'Role/reader', user('ann')),
    roleBinding('d', 'by-cluster-role', 'ClusterRole/reader', group('devs')),
    roleBinding('ci', 'robots', 'ClusterRole/edit', { kind: 'ServiceAccount', name: 'robot' }),
    roleBinding('d', 'foreign-robot', 'Role/reader', { kind: 'ServiceAccount', namespace: 'ci', name: 'robot' }),
    roleBinding('d', 'paths', 'ClusterRole/pathfinder', user('ann')),
    clusterRoleBinding('everywhere', 'reader', user('root')),
    clusterRoleBinding('paths', 'pathfinder', user('root')),
    roleBinding('d', 'dangling', 'Role/missing', user('bob')),
    roleBinding('e', 'role-of-another-namespace', 'Role/reader', user('bob')),
  );
  const table: readonly (readonly [UserInfo, RequestAttributes, boolean])[] = [
    [person('ann'), on('get', 'pods', 'd', 'x'), true],
    [person('ann'), on('list', 'pods', 'd'), false],
    [person('ann'), on('get', 'pods', 'e', 'x'), false],
    [person('ann'), on('get', 'pods'), false],
    [person('Ann'), on('get', 'pods', 'd', 'x'), false],
    [person('ann'), { verb: 'get', path: '/debug/x' }, false],
    [person('devs'), on('get', 'pods', 'd', 'x'), false],
    [person('carl', 'devs'), on('get', 'pods', 'd', 'x'), true],
    [person('carl', 'ann'), on('list', 'pods', 'd'), false],
    [person('root'), on('get', 'pods', 'e', 'x'), true],
    [person('root'), on('get', 'pods'), true],
    [person('root'), { verb: 'get', path: '/debug/x' }, true],
    [person('bob'), on('get', 'pods', 'd', 'x'), false],
    [person('bob'), on('get', 'pods', 'e', 'x'), false],
    [robot, on('create', 'secrets', 'ci'), true],
    [robot, on('create', 'secrets', 'd'), false],
    [robot, on('get', 'pods', 'd', 'x'), true],
    [person('stranger'), on('get', 'pods', 'd', 'x'), false],
    [person('stranger'), { verb: 'get', path: '/version' }, true],
    [person('stranger'), { verb: 'get', path: '/openapi/v3' }, true],
    [person('stranger'), { verb: 'create', group: 'authorization.k8s.io', resource: 'selfsubjectaccessreviews' }, true],
    [person('stranger'), { verb: 'create', group: 'authentication.k8s.io', resource: 'selfsubjectreviews' }, true],
    [anonymous, { verb: 'get', path: '/version' }, true],
    [anonymous, { verb: 'get', path: '/apis' }, false],
    [anonymous, on('get', 'pods', 'd', 'x'), false],
    [person('boss', 'system:masters'), on('delete', 'anything.at.all', 'x', 'y'), true],
    [person('boss', 'system:masters'), { verb: 'get', path: '/x' }, true],
  ];
  for (const [who, attributes, expected] of table) {
    const request = Object.values(attributes).join(' ');
    test(`${who.username} (${who.groups.join(', ')}) ${expected ? 'may' : 'may not'}: ${request}`, () => {
      assert.equal(access.authorize(who, attributes).allowed, expected);
    });
  }

  test('a decision names the binding that allowed it', () => {
    assert.equal(
      access.authorize(person('carl', 'devs'), on('get', 'pods', 'd', 'x')).reason,
      'RBAC: allowed by RoleBinding "by-cluster-role/d" of ClusterRole "reader" to Group "devs"',
    );
    assert.deepEqual(access.authorize(person('stranger'), on('get', 'pods')), { allowed: false, reason: '' });
  });
});

test('the namespaces of a user are those of bindings that name them', () => {
  const access = accessWith(
    role('a', 'reader', { verbs: ['get'], apiGroups: [''], resources: ['pods'] }),
    roleBinding('a', 'one', 'Role/reader', user('ann')),
    roleBinding('b', 'two', 'ClusterRole/view', group('devs')),
    clusterRoleBinding('all', 'view', user('ann')),
  );
  assert.deepEqual([...access.namespacesOf(person('ann', 'devs'))].sort(), ['a', 'b']);
  assert.deepEqual(access.namespacesOf(person('bob')), []);
});

describe('bootstrap roles', () => {
  const access = accessWith(
    roleBinding('d', 'viewers', 'ClusterRole/view', user('viewer')),
    roleBinding('d', 'editors', 'ClusterRole/edit', user('editor')),
    roleBinding('d', 'admins', 'ClusterRole/admin', user('admin-of-d')),
    clusterRoleBinding('owners', 'cluster-admin', user('owner')),
  );
  const table: readonly (readonly [request: RequestAttributes, mayDo: string])[] = [
    [on('get', 'configmaps', 'd', 'x'), 'viewer editor admin-of-d owner'],
    [on('list', 'deployments.apps', 'd'), 'viewer editor admin-of-d owner'],
    [on('get', 'namespaces', 'd', 'd'), 'viewer editor admin-of-d owner'],
    [on('get', 'secrets', 'd', 'x'), 'editor admin-of-d owner'],
    [on('create', 'configmaps', 'd'), 'editor admin-of-d owner'],
    [on('deletecollection', 'jobs.batch', 'd'), 'editor admin-of-d owner'],
    [{ ...on('create', 'serviceaccounts', 'd', 'x'), subresource: 'token' }, 'editor admin-of-d owner'],
    [{ verb: 'create', group: 'rbac.authorization.k8s.io', resource: 'roles', namespace: 'd' }, 'admin-of-d owner'],
    [{ verb: 'escalate', group: 'rbac.authorization.k8s.io', resource: 'roles', namespace: 'd' }, 'owner'],
    [on('get', 'configmaps', 'e', 'x'), 'owner'],
    [on('delete', 'namespaces', 'd', 'd'), 'owner'],
    [on('create', 'namespaces'), 'owner'],
    [on('update', 'endpoints', 'd', 'x'), 'owner'],
  ];
  for (const [attributes, mayDo] of table) {
    test(`${Object.values(attributes).join(' ')} is for ${mayDo}`, () => {
      const able = ['viewer', 'editor', 'admin-of-d', 'owner'].filter(
        name => access.authorize(person(name), attributes).allowed,
      );
      assert.equal(able.join(' '), mayDo);
    });
  }
});

describe('aggregation', () => {
  const labelled = (name: string, label: string) => {
    const base = clusterRole(name, { verbs: ['get'], apiGroups: ['shop'], resources: [name] });
    return { ...base, metadata: { ...base.metadata, labels: { [label]: 'true' } } };
  };
  const aggregating = (name: string, ...selectors: object[]) => ({
    ...clusterRole(name),
    aggregationRule: { clusterRoleSelectors: selectors },
  });

  test('a role labelled for view reaches view, edit and admin', () => {
    const access = accessWith(
      labelled('orders', 'rbac.authorization.k8s.io/aggregate-to-view'),
      ...['view', 'edit', 'admin'].map(name => roleBinding('d', name, `ClusterRole/${name}`, user(name))),
    );
    const attributes = { verb: 'get', group: 'shop', resource: 'orders', namespace: 'd', name: 'x' };
    for (const name of ['view', 'edit', 'admin']) assert.ok(access.authorize(person(name), attributes).allowed, name);
    assert.ok(access.authorize(person('edit'), { ...attributes, group: '', resource: 'pods' }).allowed);
  });

  test('a role labelled for admin does not reach edit', () => {
    const access = accessWith(
      labelled('orders', 'rbac.authorization.k8s.io/aggregate-to-admin'),
      roleBinding('d', 'edit', 'ClusterRole/edit', user('edit')),
    );
    assert.ok(
      !access.authorize(person('edit'), { verb: 'get', group: 'shop', resource: 'orders', namespace: 'd' }).allowed,
    );
  });

  test('roles that aggregate each other end in the union', () => {
    const a = { ...aggregating('a', { matchLabels: { to: 'a' } }), metadata: { name: 'a', labels: { to: 'b' } } };
    const b = {
      ...aggregating('b', { matchExpressions: [{ key: 'to', operator: 'In', values: ['b'] }] }),
      metadata: { name: 'b', labels: { to: 'a' } },
    };
    const leaf = clusterRole('leaf', { verbs: ['get'], apiGroups: [''], resources: ['pods'] });
    const access = accessWith(
      a,
      b,
      { ...leaf, metadata: { name: 'leaf', labels: { to: 'a' } } },
      clusterRoleBinding('x', 'b', user('ann')),
    );
    assert.ok(access.authorize(person('ann'), on('get', 'pods')).allowed);
  });

  test('a selector that makes no sense selects nothing', () => {
    const access = accessWith(
      aggregating('odd', { matchExpressions: [{ key: 'to', operator: 'Perhaps' }] }),
      clusterRoleBinding('x', 'odd', user('ann')),
    );
    assert.ok(!access.authorize(person('ann'), on('get', 'pods')).allowed);
    assert.deepEqual(access.rulesOfRole({ kind: 'ClusterRole', name: 'odd' }, ''), []);
  });

  test('bootstrap roles share their rules between logical clusters', () => {
    for (const name of ['cluster-admin', 'admin', 'edit', 'view', 'system:discovery']) {
      const roleRef = { kind: 'ClusterRole', name };
      assert.equal(accessWith().rulesOfRole(roleRef, ''), accessWith().rulesOfRole(roleRef, ''), name);
    }
  });
});

describe('rules review', () => {
  test('lists rules of the namespace and of the whole cluster, each once', () => {
    const getPods = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
    const access = accessWith(
      role('d', 'reader', getPods),
      roleBinding('d', 'one', 'Role/reader', user('ann')),
      roleBinding('d', 'two', 'Role/reader', user('ann'), group('devs')),
    );
    const { resourceRules, nonResourceRules, incomplete } = access.rulesFor(person('ann', 'devs'), 'd');
    assert.equal(resourceRules.filter(rule => rule.resources?.includes('pods')).length, 1);
    assert.ok(resourceRules.some(rule => rule.resources?.includes('selfsubjectreviews')));
    assert.ok(nonResourceRules.some(rule => rule.nonResourceURLs?.includes('/version')));
    assert.equal(incomplete, false);
    assert.ok(!access.rulesFor(person('ann'), 'e').resourceRules.some(rule => rule.resources?.includes('pods')));
  });

  test('lists all rights for masters, even without any binding', () => {
    const { resourceRules, nonResourceRules } = accessWith().rulesFor(person('boss', 'system:masters'), 'd');
    assert.ok(resourceRules.some(rule => rule.verbs.includes('*') && rule.resources?.includes('*')));
    assert.ok(nonResourceRules.some(rule => rule.nonResourceURLs?.includes('*')));
  });
});

describe('membership', () => {
  const access = accessWith(
    clusterRoleBinding('a', 'view', user('ann'), group('devs')),
    roleBinding('d', 'b', 'Role/missing', user('bob'), { kind: 'ServiceAccount', name: 'robot' }),
  );
  const table: readonly (readonly [UserInfo, boolean])[] = [
    [person('ann'), true],
    [person('bob'), true],
    [person('carl', 'devs'), true],
    [person('carl', 'ops'), false],
    [person('devs'), false],
    [person('boss', 'system:masters'), true],
    [{ username: 'system:serviceaccount:d:robot', groups: ['system:authenticated'] }, true],
    [robot, false],
    [anonymous, false],
  ];
  for (const [who, expected] of table) {
    test(`${who.username} (${who.groups.join(', ')}) is ${expected ? 'a' : 'no'} member`, () => {
      assert.equal(access.isMember(who), expected);
    });
  }

  test('a service account of the cluster is a member without any binding', () => {
    assert.ok(access.isMember(robot, { isOwnServiceAccount: true }));
  });

  test('every user is a member once the tenant binds system:authenticated, the anonymous user is not', () => {
    const open = accessWith(roleBinding('d', 'open', 'ClusterRole/view', group('system:authenticated')));
    assert.ok(open.isMember(person('stranger')));
    assert.ok(!open.isMember(anonymous));
  });

  test('the anonymous user is a member once the tenant binds system:unauthenticated', () => {
    const open = accessWith(clusterRoleBinding('open', 'view', group('system:unauthenticated')));
    assert.ok(open.isMember(anonymous));
    assert.ok(!open.isMember(person('stranger')));
  });
});
