import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startTestPlane } from '@chandlery/testing';
import { refs } from '../model/tenants/refs.ts';
import { clusterObjects } from './cluster-objects.ts';

const binding = (role: string) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: 'b' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
  subjects: [],
});

it('A binding with another role is deleted and created again, because the role is immutable', async () => {
  await using plane = await startTestPlane();
  await plane.client.create(refs.clusterRoleBindings, binding('view'));
  const objects = clusterObjects(plane.client, 'test');
  await objects.apply({ plural: 'clusterrolebindings', object: binding('edit') });
  const found = await plane.client.get({ ...refs.clusterRoleBindings, name: 'b' });
  assert.deepEqual(found['roleRef'], binding('edit').roleRef);
});

it('What is not there, or of a kind that is not served, is absent and can be removed', async () => {
  await using plane = await startTestPlane();
  const objects = clusterObjects(plane.client, 'test');
  const unknown = { group: 'nobody.example.com', version: 'v1', plural: 'things' };
  assert.equal(await objects.find({ ...unknown, name: 'a' }), undefined);
  assert.deepEqual(await objects.list({ ...unknown, namespace: 'default' }), []);
  await objects.remove(refs.clusterRoleBindings, binding('view'));
});
