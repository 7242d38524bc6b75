import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import { crds, startTestKernel, type TestKernel, testCrd } from '../test-kernel.ts';

const ownedBy = (owner: KubeObject, more: object = {}) => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name,
  uid: owner.metadata.uid,
  ...more,
});

describe('the garbage collector', () => {
  let plane: TestKernel;
  let counter = 0;
  before(async () => {
    plane = await startTestKernel();
  });
  after(() => plane[Symbol.asyncDispose]());

  const make = async (metadata: object = {}, resource = 'configmaps'): Promise<KubeObject> =>
    (await plane.create(resource, { metadata: { ...metadata, name: `gc-${++counter}` } })).object;
  const nameOf = ({ metadata }: KubeObject): string => metadata.name ?? '';
  const own = (...owners: KubeObject[]) => make({ ownerReferences: owners.map(owner => ownedBy(owner)) });
  const find = (object: KubeObject) => plane.find('configmaps', nameOf(object));
  const gone = (object: KubeObject) => plane.gone('configmaps', nameOf(object));

  test('removes dependants of a vanished owner, and theirs', async () => {
    const owner = await make();
    const child = await own(owner);
    const grandchild = await own(child);
    await plane.delete('configmaps', nameOf(owner));
    await Promise.all([gone(child), gone(grandchild)]);
  });

  test('removes dependants whose owner was deleted before they were created', async () => {
    const owner = await make();
    await plane.delete('configmaps', nameOf(owner));
    await gone(await own(owner));
  });

  test('removes dependants that were given an owner that no longer exists', async () => {
    const owner = await make();
    await plane.delete('configmaps', nameOf(owner));
    const adopted = await make();
    await plane.change(
      'configmaps',
      nameOf(adopted),
      live => void Object.assign(live.metadata, { ownerReferences: [ownedBy(owner)] }),
    );
    await gone(adopted);
  });

  test('removes dependants of an owner that another of the same name has replaced', async () => {
    const owner = await make();
    await plane.delete('configmaps', nameOf(owner));
    await plane.create('configmaps', { metadata: { name: nameOf(owner) } });
    await gone(await own(owner));
  });

  test('keeps dependants that have another owner, and removes the reference to the deleted one', async () => {
    const [first, second] = [await make(), await make()];
    const child = await own(first, second);
    await plane.delete('configmaps', nameOf(first));
    await eventually(async () => (await find(child))?.metadata.ownerReferences?.length === 1);
    assert.equal((await find(child))?.metadata.ownerReferences?.[0]?.uid, second.metadata.uid);
    await plane.delete('configmaps', nameOf(second));
    await gone(child);
  });

  test('in foreground keeps the owner until the dependants that block it are deleted', async () => {
    const owner = await make();
    const blocking = await make({
      ownerReferences: [ownedBy(owner, { blockOwnerDeletion: true })],
      finalizers: ['example.org/hold'],
    });
    const loose = await own(owner);
    await plane.delete('configmaps', nameOf(owner), { propagationPolicy: 'Foreground' });
    await gone(loose);
    await eventually(async () => (await find(blocking))?.metadata.deletionTimestamp !== undefined);
    assert.deepEqual((await find(owner))?.metadata.finalizers, ['foregroundDeletion']);
    await plane.change('configmaps', nameOf(blocking), live => void delete live.metadata.finalizers);
    await gone(owner);
  });

  test('in foreground goes down the whole tree before the owner goes', async () => {
    const owner = await make();
    const block = { blockOwnerDeletion: true };
    const child = await make({ ownerReferences: [ownedBy(owner, block)] });
    const grandchild = await make({ ownerReferences: [ownedBy(child, block)], finalizers: ['example.org/hold'] });
    await plane.delete('configmaps', nameOf(owner), { propagationPolicy: 'Foreground' });
    await eventually(async () => (await find(grandchild))?.metadata.deletionTimestamp !== undefined);
    assert.ok((await find(child)) !== undefined && (await find(owner)) !== undefined);
    await plane.change('configmaps', nameOf(grandchild), live => void delete live.metadata.finalizers);
    await Promise.all([gone(owner), gone(child)]);
  });

  test('orphans dependants when asked', async () => {
    const owner = await make();
    const child = await own(owner);
    await plane.delete('configmaps', nameOf(owner), { propagationPolicy: 'Orphan' });
    await gone(owner);
    assert.equal((await find(child))?.metadata.ownerReferences, undefined);
  });

  for (const propagationPolicy of ['Background', 'Foreground'] as const) {
    test(`removes circles (${propagationPolicy})`, async () => {
      const first = await make();
      const block = { blockOwnerDeletion: true };
      const second = await make({ ownerReferences: [ownedBy(first, block)] });
      await plane.change(
        'configmaps',
        nameOf(first),
        live => void Object.assign(live.metadata, { ownerReferences: [ownedBy(second, block)] }),
      );
      await plane.delete('configmaps', nameOf(first), { propagationPolicy });
      await Promise.all([gone(first), gone(second)]);
    });
  }

  test('removes namespaced dependants of a cluster-scoped owner', async () => {
    const owner = await make({}, 'rbac.authorization.k8s.io/v1/clusterroles');
    const child = await own(owner);
    await plane.delete('rbac.authorization.k8s.io/v1/clusterroles', nameOf(owner));
    await gone(child);
  });

  test('keeps cluster-scoped objects with a namespaced owner, and those whose owner has an unknown kind', async () => {
    const owner = await make();
    const role = await make({ ownerReferences: [ownedBy(owner)] }, 'rbac.authorization.k8s.io/v1/clusterroles');
    const unknown = await make({
      ownerReferences: [{ apiVersion: 'example.org/v9', kind: 'Nothing', name: 'n', uid: 'u' }],
    });
    const marker = await own(owner);
    await plane.delete('configmaps', nameOf(owner));
    await gone(marker);
    assert.ok((await find(unknown)) !== undefined);
    assert.ok((await plane.find('rbac.authorization.k8s.io/v1/clusterroles', nameOf(role))) !== undefined);
  });

  test('removes dependants of custom objects that went with their definition', async () => {
    await plane.create(crds, testCrd('parents'));
    const owner = (await plane.create('example.org/v1/parents', { metadata: { name: 'p' }, spec: {} })).object;
    const children = await Promise.all(Array.from({ length: 30 }, () => own(owner)));
    await plane.delete(crds, 'parents.example.org');
    await plane.gone(crds, 'parents.example.org');
    await Promise.all(children.map(gone));
  });

  test('understands names with spaces', async () => {
    const owner = await make();
    const roles = 'rbac.authorization.k8s.io/v1/roles';
    await plane.create(roles, { metadata: { name: 'a role', ownerReferences: [ownedBy(owner)] } });
    await plane.delete('configmaps', nameOf(owner));
    await eventually(async () => (await plane.list(roles)).length === 0);
  });
});
