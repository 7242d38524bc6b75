import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import type { BehaviourContext } from './behaviour.ts';
import { bindingBehaviour, roleBehaviour } from './rbac.ts';

// The rules under test look at the object alone.
const context = {} as BehaviourContext;

const binding = (kind: string, subject: object, roleKind = 'ClusterRole'): KubeObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: { name: 'b' },
  subjects: [subject],
  roleRef: { kind: roleKind, name: 'view' },
});

const bindings: readonly { why: string; object: KubeObject; fields: readonly string[] }[] = [
  {
    why: 'a RoleBinding takes a service account without a namespace for one of its own',
    object: binding('RoleBinding', { kind: 'ServiceAccount', name: 'robot' }),
    fields: [],
  },
  {
    why: 'a ClusterRoleBinding has no namespace to lend',
    object: binding('ClusterRoleBinding', { kind: 'ServiceAccount', name: 'robot' }),
    fields: ['subjects[0].namespace'],
  },
  {
    why: 'a ClusterRoleBinding cannot point to a Role',
    object: binding('ClusterRoleBinding', { kind: 'User', name: 'ann' }, 'Role'),
    fields: ['roleRef.kind'],
  },
  {
    why: 'a subject is a user, a group or a service account',
    object: binding('RoleBinding', { kind: 'Robot', name: 'r2' }),
    fields: ['subjects[0].kind'],
  },
];
for (const { why, object, fields } of bindings) {
  test(why, () => {
    const causes = bindingBehaviour.validate?.(object, context) ?? [];
    assert.deepEqual(
      causes.map(({ field }) => field),
      fields,
    );
  });
}

test('where a binding points never changes', () => {
  const live = binding('RoleBinding', { kind: 'User', name: 'ann' });
  const next = { ...live, roleRef: { kind: 'ClusterRole', name: 'admin' } };
  assert.equal(bindingBehaviour.validateUpdate?.(next, live, context)[0]?.field, 'roleRef');
});

test('a rule needs verbs, and either resources or, in a ClusterRole, URLs', () => {
  const role = (kind: string, rule: object): KubeObject => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    metadata: { name: 'r' },
    rules: [rule],
  });
  const fieldsOf = (object: KubeObject) => (roleBehaviour.validate?.(object, context) ?? []).map(({ field }) => field);
  assert.deepEqual(fieldsOf(role('Role', { resources: ['pods'] })), ['rules[0].verbs']);
  assert.deepEqual(fieldsOf(role('Role', { verbs: ['get'] })), ['rules[0].resources']);
  assert.deepEqual(fieldsOf(role('Role', { verbs: ['get'], nonResourceURLs: ['/x'] })), ['rules[0].nonResourceURLs']);
  assert.deepEqual(fieldsOf(role('ClusterRole', { verbs: ['get'], nonResourceURLs: ['/x'] })), []);
});
