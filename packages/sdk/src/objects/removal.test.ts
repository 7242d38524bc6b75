import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { eventually } from '@chandlery/testing';
import { Fuse } from '../sync/test-fuse.ts';
import type { Desired } from './managed-objects.ts';
import {
  configMap,
  configMapRef,
  connectionTo,
  namespace,
  never,
  on,
  ownerA,
  ownerB,
  startObjectsFixture,
} from './test-objects.ts';

const crds = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
const boats = { group: 'example.org', version: 'v1', plural: 'boats', namespace: 'default' };

const boatCrd: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'boats.example.org' },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { plural: 'boats', singular: 'boat', kind: 'Boat', listKind: 'BoatList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: {} } } } },
      },
    ],
  },
};
const boat: KubeObject = {
  apiVersion: 'example.org/v1',
  kind: 'Boat',
  metadata: { name: 'b', namespace: 'default' },
  spec: {},
};

const isThere = (client: Client, ref: ObjectRef): Promise<boolean> =>
  client.get(ref).then(
    () => true,
    error => !isError(error, 'NotFound'),
  );

const held = (name: string): KubeObject => {
  const object = configMap(name, {});
  object.metadata.finalizers = ['example.org/hold'];
  return object;
};

describe('Removing managed objects', () => {
  it('runs in reverse order, each object after those behind it, and is enqueued by the watch', async () => {
    await using fixture = await startObjectsFixture();
    const { objects, connections, mcp, changed } = fixture;
    const desired = on(
      'mcp',
      namespace('shop'),
      configMap('first', {}),
      held('second'),
      configMap('third', {}, 'shop'),
    );
    await objects.apply(ownerA, connections, desired, never);
    const waiting = await objects.remove(ownerA, connections, desired, never);
    assert.deepEqual(waiting, {
      isRemoved: false,
      message:
        'Waiting for ConfigMap "default/second" on the control plane to be deleted. It is held by example.org/hold.',
    });
    assert.equal(await isThere(mcp, configMapRef('third', 'shop')), false);
    assert.equal(await isThere(mcp, configMapRef('first')), true);
    changed.length = 0;
    await mcp.patch(configMapRef('second'), { type: 'merge', body: { metadata: { finalizers: null } } });
    await eventually(() => changed.includes('tenant/a'));
    const report = await eventually(async () => {
      const each = await objects.remove(ownerA, connections, desired, never);
      return each.isRemoved && each;
    });
    assert.equal(report.message, '');
    assert.equal(await isThere(mcp, configMapRef('first')), false);
    assert.deepEqual(fixture.drifted, []);
  });

  it('finds what was desired before, after a restart too', async () => {
    await using fixture = await startObjectsFixture();
    await fixture.objects.apply(ownerA, fixture.connections, on('mcp', configMap('old', {})), never);
    const desired = on('mcp', configMap('new', {}));
    assert.equal((await fixture.restart().remove(ownerA, fixture.connections, desired, never)).isRemoved, true);
    assert.equal(await isThere(fixture.mcp, configMapRef('old')), false);
  });

  it('counts clusters without a connection as removed', async () => {
    await using fixture = await startObjectsFixture();
    const desired = [...on('mcp', configMap('a', {})), ...on('workload', configMap('b', {}))];
    await fixture.objects.apply(ownerA, fixture.connections, desired, never);
    const { mcp } = fixture.connections;
    assert.equal((await fixture.objects.remove(ownerA, { mcp }, desired, never)).isRemoved, true);
    assert.equal(await isThere(fixture.workload, configMapRef('b')), true);
  });

  it('leaves a shared object until its last user goes', async () => {
    await using fixture = await startObjectsFixture();
    const { objects, connections, workload } = fixture;
    const desired: Desired[] = on('workload', boatCrd);
    await objects.apply(ownerA, connections, desired, never);
    await objects.apply(ownerB, connections, desired, never);
    assert.equal((await objects.remove(ownerA, connections, desired, never)).isRemoved, true);
    assert.equal(await isThere(workload, { ...crds, name: 'boats.example.org' }), true);
    await eventually(async () => (await objects.remove(ownerB, connections, desired, never)).isRemoved);
    assert.equal(await isThere(workload, { ...crds, name: 'boats.example.org' }), false);
  });
});

describe('Kinds among managed objects', () => {
  it('are waited for, and created again when another client removes them', async () => {
    await using fixture = await startObjectsFixture();
    const { objects, connections, mcp, drifted } = fixture;
    const desired = on('mcp', boatCrd, boat);
    const settle = () => eventually(async () => (await objects.apply(ownerA, connections, desired, never)).isReady);
    await settle();
    await mcp.delete({ ...crds, name: 'boats.example.org' });
    await eventually(() => drifted.includes('tenant/a'));
    await settle();
    assert.equal(await isThere(mcp, { ...boats, name: 'b' }), true);
  });
});

describe('Releasing managed objects', () => {
  it('takes marks and field ownership off and changes nothing else', async () => {
    await using fixture = await startObjectsFixture();
    const { objects, connections, mcp } = fixture;
    const desired = on('mcp', configMap('kept', { a: '1' }));
    await objects.apply(ownerA, connections, desired, never);
    const lines = await objects.release(ownerA, connections, desired, never);
    assert.deepEqual(lines, ['ConfigMap "default/kept" on the control plane stays and is no longer managed.']);
    const live = await mcp.get(configMapRef('kept'));
    assert.deepEqual(live['data'], { a: '1' });
    assert.deepEqual(live.metadata.labels, { 'sdk.chandlery.io/handed-over': 'true' });
    assert.deepEqual(live.metadata.annotations, { 'sdk.chandlery.io/former-object': 'foo/tenant/a' });
    assert.equal(live.metadata.managedFields?.some(({ manager }) => manager === 'provider.foo') ?? false, false);
    const body = configMap('kept', { b: '2' });
    const patch = { type: 'apply', body } as const;
    await mcp.patch(configMapRef('kept'), patch, { fieldManager: 'somebody' });
    assert.deepEqual((await mcp.get(configMapRef('kept')))['data'], { a: '1', b: '2' });
    assert.deepEqual(await objects.release(ownerA, connections, desired, never), lines);
  });

  it('keeps the entries of other field owners', async () => {
    await using fixture = await startObjectsFixture();
    const { objects, connections, mcp } = fixture;
    const desired = on('mcp', configMap('kept', { a: '1' }));
    await objects.apply(ownerA, connections, desired, never);
    const patch = { type: 'apply', body: configMap('kept', { b: '2' }) } as const;
    await mcp.patch(configMapRef('kept'), patch, { fieldManager: 'somebody' });
    await objects.release(ownerA, connections, desired, never);
    const { metadata } = await mcp.get(configMapRef('kept'));
    assert.deepEqual(
      metadata.managedFields?.map(({ manager }) => manager),
      ['somebody', 'provider.foo.released'],
    );
  });

  it('gives an object back to the same owner, and to no other', async () => {
    await using fixture = await startObjectsFixture();
    const { objects, connections, mcp } = fixture;
    const desired = on('mcp', configMap('kept', { a: '1' }));
    await objects.apply(ownerA, connections, desired, never);
    await objects.release(ownerA, connections, desired, never);
    await eventually(async () => {
      const { reason, message } = await objects.apply(ownerB, connections, desired, never);
      return reason === 'Conflict' && message.includes('belongs to the retained service "foo/tenant/a"');
    });
    const again = await objects.apply(ownerA, connections, desired, never);
    assert.equal(again.isReady, true);
    const { labels = {}, annotations = {} } = (await mcp.get(configMapRef('kept'))).metadata;
    assert.equal(labels['openmcp.cloud/managed-by'], 'foo');
    assert.equal(labels['sdk.chandlery.io/handed-over'], undefined);
    assert.equal(annotations['sdk.chandlery.io/former-object'], undefined);
  });

  it('keeps a shared object from going with the last of the others', async () => {
    await using fixture = await startObjectsFixture();
    const { objects, connections, mcp } = fixture;
    const desired = on('mcp', configMap('shared', { a: '1' })).map(desired => ({ ...desired, isShared: true }));
    await objects.apply(ownerA, connections, desired, never);
    await objects.apply(ownerB, connections, desired, never);
    await objects.release(ownerA, connections, desired, never);
    await eventually(async () => (await objects.remove(ownerB, connections, desired, never)).isRemoved);
    const { labels = {}, annotations = {} } = (await mcp.get(configMapRef('shared'))).metadata;
    assert.equal(labels['sdk.chandlery.io/handed-over'], 'true');
    assert.equal(annotations['user.sdk.chandlery.io/aaaaaaaa'], 'tenant/a');
    assert.equal(annotations['user.sdk.chandlery.io/bbbbbbbb'], undefined);
  });

  it('leaves a shared object to the others', async () => {
    await using fixture = await startObjectsFixture();
    const { objects, workload } = fixture;
    const connections = { workload: connectionTo('w', workload) };
    const desired = on('workload', boatCrd);
    await objects.apply(ownerA, connections, desired, never);
    await objects.apply(ownerB, connections, desired, never);
    const lines = await objects.release(ownerA, connections, desired, never);
    assert.match(lines[0] ?? '', /stays: others use it too/);
    const { changes } = await objects.apply(ownerB, connections, desired, never);
    assert.deepEqual(changes, []);
  });
});

describe('A keeper of objects that is killed', () => {
  it('before it marks a shared object as used finds it again to remove it', async () => {
    await using fixture = await startObjectsFixture();
    const { mcp } = fixture.connections;
    const fused = { mcp: { ...mcp, client: new Fuse(1).guard(mcp.client) } };
    const desired = on('mcp', boatCrd);
    await assert.rejects(fixture.objects.apply(ownerA, fused, desired, never));
    assert.equal(await isThere(fixture.mcp, { ...crds, name: 'boats.example.org' }), true);
    const keeper = fixture.restart();
    await eventually(async () => (await keeper.remove(ownerA, { mcp }, desired, never)).isRemoved);
    assert.equal(await isThere(fixture.mcp, { ...crds, name: 'boats.example.org' }), false);
  });

  it('after any of its writes is recovered from the clusters alone', async () => {
    await using fixture = await startObjectsFixture();
    const desired = [
      ...on('mcp', namespace('shop'), configMap('one', { a: '1' }, 'shop'), boatCrd),
      ...on('workload', configMap('two', { a: '1' }), configMap('three', {})),
    ];
    const { mcp, workload } = fixture.connections;
    for (let writes = 0; writes < 7; writes++) {
      const fuse = new Fuse(writes);
      const fused = {
        mcp: { ...mcp, client: fuse.guard(mcp.client) },
        workload: { ...workload, client: fuse.guard(workload.client) },
      };
      await fixture
        .restart()
        .apply(ownerA, fused, desired, never)
        .catch(() => undefined);
      const keeper = fixture.restart();
      await eventually(async () => (await keeper.apply(ownerA, fixture.connections, desired, never)).isReady);
      assert.deepEqual(await keeper.plan(ownerA, fixture.connections, desired, never), []);
      const again = new Fuse(writes);
      const refused = { mcp: { ...mcp, client: again.guard(mcp.client) } };
      await fixture
        .restart()
        .remove(ownerA, refused, desired, never)
        .catch(() => undefined);
      const remover = fixture.restart();
      await eventually(async () => (await remover.remove(ownerA, fixture.connections, desired, never)).isRemoved);
      assert.equal(await isThere(fixture.workload, configMapRef('two')), false);
      assert.equal(await isThere(fixture.mcp, { ...crds, name: 'boats.example.org' }), false);
    }
  });
});
