import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ChandleryError, isError, type KubeObject } from '@chandlery/api';
import { ensureMayWriteBinding, ensureMayWriteRole } from './escalation.ts';
import { accessWith, clusterRole, clusterRoleBinding, group, person, role, roleBinding, user } from './test-objects.ts';
import type { UserInfo } from './user.ts';

const getPods = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
const getNodes = { verbs: ['get'], apiGroups: [''], resources: ['nodes'] };
const rbac = (verbs: string[], resources: string[], resourceNames?: string[]) => ({
  verbs,
  apiGroups: ['rbac.authorization.k8s.io'],
  resources,
  ...(resourceNames === undefined ? {} : { resourceNames }),
});

const access = accessWith(
  clusterRole('escalator', rbac(['escalate'], ['roles', 'clusterroles'])),
  clusterRole('view-binder', rbac(['bind'], ['clusterroles'], ['view'])),
  role('d', 'reader', getPods),
  clusterRoleBinding('owner', 'cluster-admin', user('owner')),
  roleBinding('d', 'admin', 'ClusterRole/admin', user('admin-of-d')),
  roleBinding('d', 'escalator', 'ClusterRole/escalator', user('escalator')),
  roleBinding('d', 'view-binder', 'ClusterRole/view-binder', user('binder')),
);

function refusal(check: () => void): string {
  try {
    check();
    return '';
  } catch (thrown) {
    assert.ok(isError(thrown));
    return thrown.code;
  }
}

describe('writing a role', () => {
  const labelled: KubeObject = {
    ...role('d', 'x', getNodes),
    metadata: { namespace: 'd', name: 'x', labels: { a: 'b' } },
  };
  const annotated: KubeObject = {
    ...role('d', 'x', getNodes),
    metadata: { namespace: 'd', name: 'x', annotations: { a: 'b' } },
  };
  const aggregating: KubeObject = { ...clusterRole('x'), aggregationRule: { clusterRoleSelectors: [] } };
  const table: readonly (readonly [why: string, UserInfo, object: KubeObject, code: string, previous?: KubeObject])[] =
    [
      ['with rights that one holds there', person('admin-of-d'), role('d', 'x', getPods), ''],
      ['with rights that one does not hold', person('admin-of-d'), role('d', 'x', getNodes), 'Forbidden'],
      ['with some of both', person('admin-of-d'), role('d', 'x', getPods, getNodes), 'Forbidden'],
      ['with rights held in another namespace', person('admin-of-d'), role('e', 'x', getPods), 'Forbidden'],
      [
        'for the whole cluster with rights of a namespace',
        person('admin-of-d'),
        clusterRole('x', getPods),
        'Forbidden',
      ],
      ['without rules', person('stranger'), role('d', 'x'), ''],
      ['with all rights', person('owner'), clusterRole('x', getPods, getNodes), ''],
      ['as a master', person('boss', 'system:masters'), clusterRole('x', getNodes), ''],
      ['with the verb escalate', person('escalator'), role('d', 'x', getNodes), ''],
      ['with the verb escalate elsewhere', person('escalator'), role('e', 'x', getNodes), 'Forbidden'],
      ['that keeps its rules', person('admin-of-d'), annotated, '', role('d', 'x', getNodes)],
      [
        'that keeps its rules but gets another label',
        person('admin-of-d'),
        labelled,
        'Forbidden',
        role('d', 'x', getNodes),
      ],
      ['that gains rules', person('admin-of-d'), role('d', 'x', getNodes), 'Forbidden', role('d', 'x', getPods)],
      ['that aggregates', person('admin-of-d'), aggregating, 'Forbidden'],
      ['that no longer aggregates', person('admin-of-d'), clusterRole('x'), 'Forbidden', aggregating],
      ['that aggregates, with all rights', person('owner'), aggregating, ''],
    ];
  for (const [why, who, object, code, previous] of table) {
    test(`${why} is ${code === '' ? 'fine' : code}`, () => {
      assert.equal(
        refusal(() => ensureMayWriteRole(access, { user: who, object, previous })),
        code,
      );
    });
  }

  test('the rejection lists what is missing', () => {
    const object = role('d', 'x', { ...getNodes, verbs: ['get', 'list'] }, getPods);
    const write = { user: person('admin-of-d', 'devs'), object };
    assert.throws(
      () => ensureMayWriteRole(access, write),
      (thrown: ChandleryError) => {
        assert.equal(
          thrown.message,
          'roles.rbac.authorization.k8s.io "x" is forbidden: user "admin-of-d" (groups=["devs" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n' +
            '{APIGroups:[""], Resources:["nodes"], Verbs:["get" "list"]}',
        );
        assert.deepEqual(thrown.details, { name: 'x', kind: 'roles', group: 'rbac.authorization.k8s.io' });
        return true;
      },
    );
  });
});

describe('writing a binding', () => {
  const table: readonly (readonly [why: string, UserInfo, object: KubeObject, code: string, previous?: KubeObject])[] =
    [
      ['to a role that one holds', person('admin-of-d'), roleBinding('d', 'x', 'Role/reader', user('ann')), ''],
      [
        'to a cluster role that one holds there',
        person('admin-of-d'),
        roleBinding('d', 'x', 'ClusterRole/edit', user('ann')),
        '',
      ],
      [
        'to more than one holds',
        person('admin-of-d'),
        roleBinding('d', 'x', 'ClusterRole/cluster-admin', user('ann')),
        'Forbidden',
      ],
      [
        'in another namespace',
        person('admin-of-d'),
        roleBinding('e', 'x', 'ClusterRole/view', user('ann')),
        'Forbidden',
      ],
      ['for the whole cluster', person('admin-of-d'), clusterRoleBinding('x', 'view', user('ann')), 'Forbidden'],
      ['to a missing role', person('admin-of-d'), roleBinding('d', 'x', 'Role/missing', user('ann')), 'NotFound'],
      [
        'to a missing role, as a master',
        person('boss', 'system:masters'),
        roleBinding('d', 'x', 'Role/missing', user('a')),
        '',
      ],
      ['with the verb bind', person('binder'), roleBinding('d', 'x', 'ClusterRole/view', user('ann')), ''],
      [
        'with the verb bind on another role',
        person('binder'),
        roleBinding('d', 'x', 'ClusterRole/edit', user('ann')),
        'Forbidden',
      ],
      ['with all rights', person('owner'), clusterRoleBinding('x', 'cluster-admin', group('devs')), ''],
      [
        'that stays as it is',
        person('stranger'),
        roleBinding('d', 'x', 'ClusterRole/edit', user('ann')),
        '',
        roleBinding('d', 'x', 'ClusterRole/edit', user('ann')),
      ],
      [
        'that gains a subject',
        person('binder'),
        roleBinding('d', 'x', 'ClusterRole/edit', user('ann'), user('binder')),
        'Forbidden',
        roleBinding('d', 'x', 'ClusterRole/edit', user('ann')),
      ],
    ];
  for (const [why, who, object, code, previous] of table) {
    test(`${why} is ${code === '' ? 'fine' : code}`, () => {
      assert.equal(
        refusal(() => ensureMayWriteBinding(access, { user: who, object, previous })),
        code,
      );
    });
  }
});
