import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { eventually } from '@chandlery/testing';
import {
  configMap,
  configMapRef,
  connectionTo,
  countRequests,
  deployment,
  namespace,
  never,
  on,
  ownerA,
  ownerB,
  startObjectsFixture,
} from './test-objects.ts';

const dataOf = async (client: Client, name: string): Promise<unknown> => (await client.get(configMapRef(name)))['data'];

const isThere = (client: Client, ref: ObjectRef): Promise<boolean> =>
  client.get(ref).then(
    () => true,
    error => !isError(error, 'NotFound'),
  );

const change = (client: Client, name: string, body: object): Promise<KubeObject> =>
  client.patch(configMapRef(name), { type: 'merge', body: body as Record<string, never> });

const deployments = { group: 'apps', version: 'v1', plural: 'deployments', namespace: 'default' };
const namespaces = { group: '', version: 'v1', plural: 'namespaces' };

describe('Managed objects', () => {
  it('are applied in order with the marks of their owner, and reported', async () => {
    await using fixture = await startObjectsFixture();
    const desired = on('mcp', namespace('shop'), configMap('settings', { a: '1' }, 'shop'));
    const report = await fixture.objects.apply(ownerA, fixture.connections, desired, never);
    assert.deepEqual(
      report.changes.map(({ action, kind, name, isDrift }) => [action, kind, name, isDrift]),
      [
        ['create', 'Namespace', 'shop', false],
        ['create', 'ConfigMap', 'settings', false],
      ],
    );
    assert.deepEqual([report.isReady, report.reason, report.message], [true, 'Ready', '']);
    assert.deepEqual(report.resources[1], {
      apiGroup: '',
      kind: 'ConfigMap',
      name: 'settings',
      namespace: 'shop',
      phase: 'Ready',
      message: '',
      location: 'ManagedControlPlane',
    });
    const { metadata } = await fixture.mcp.get(configMapRef('settings', 'shop'));
    assert.equal(metadata.labels?.['openmcp.cloud/managed-by'], 'foo');
    assert.equal(metadata.labels?.['sdk.chandlery.io/instance'], 'aaaaaaaa');
    assert.equal(metadata.annotations?.['sdk.chandlery.io/object'], 'tenant/a');
  });

  it('cost no request while nothing differs, after a restart only reads', async () => {
    await using fixture = await startObjectsFixture();
    const desired = on('workload', deployment('app', 'app:1'), configMap('settings', { a: '1' }));
    await fixture.objects.apply(ownerA, fixture.connections, desired, never);
    const { client, requests } = countRequests(fixture.workload);
    const connections = { workload: connectionTo('workload-2', client) };
    const again = fixture.restart();
    const first = await again.apply(ownerA, connections, desired, never);
    assert.deepEqual(first.changes, []);
    await eventually(async () => {
      requests.length = 0;
      await again.apply(ownerA, connections, desired, never);
      assert.deepEqual(requests, []);
      return true;
    });
  });

  it('keep what the server normalises or defaults and what others add', async () => {
    await using fixture = await startObjectsFixture();
    const desired = on('workload', deployment('app', 'app:1'));
    await fixture.objects.apply(ownerA, fixture.connections, desired, never);
    await fixture.workload.patch(
      { ...deployments, name: 'app' },
      { type: 'merge', body: { metadata: { labels: { team: 'x' } }, spec: { minReadySeconds: 3 } } },
    );
    const report = await fixture.objects.apply(ownerA, fixture.connections, desired, never);
    assert.deepEqual(report.changes, []);
    const live = await fixture.workload.get({ ...deployments, name: 'app' });
    assert.equal(live.metadata.labels?.['team'], 'x');
    assert.equal((live['spec'] as { minReadySeconds: number }).minReadySeconds, 3);
    assert.deepEqual(fixture.drifted, []);
  });

  it('lose fields that are no longer desired, and objects too', async () => {
    await using fixture = await startObjectsFixture();
    const { objects, connections, mcp } = fixture;
    await objects.apply(
      ownerA,
      connections,
      on('mcp', configMap('one', { a: '1', b: '2' }), configMap('two', {})),
      never,
    );
    const report = await objects.apply(ownerA, connections, on('mcp', configMap('one', { a: '1' })), never);
    assert.deepEqual(
      report.changes.map(({ action, name, fields }) => [action, name, fields]),
      [
        ['update', 'one', ['data.b']],
        ['delete', 'two', []],
      ],
    );
    assert.deepEqual(await dataOf(mcp, 'one'), { a: '1' });
    assert.equal(await isThere(mcp, configMapRef('two')), false);
  });

  it('of a kind that is no longer desired are found after a restart by the last report', async () => {
    await using fixture = await startObjectsFixture();
    const before = await fixture.objects.apply(ownerA, fixture.connections, on('mcp', configMap('old', {})), never);
    const owner = { ...ownerA, resources: before.resources };
    await fixture.restart().apply(owner, fixture.connections, on('mcp', namespace('new')), never);
    assert.equal(await isThere(fixture.mcp, configMapRef('old')), false);
  });

  it('that are changed or deleted by others are detected by the watch and restored', async () => {
    await using fixture = await startObjectsFixture();
    const { objects, connections, mcp, drifted, repaired } = fixture;
    const desired = on('mcp', configMap('changed', { a: '1' }), configMap('deleted', { a: '1' }));
    await objects.apply(ownerA, connections, desired, never);
    await change(mcp, 'changed', { data: { a: 'tampered' } });
    await eventually(() => drifted.includes('tenant/a'));
    await mcp.delete(configMapRef('deleted'));
    await eventually(() => drifted.length >= 2);
    const report = await objects.apply(ownerA, connections, desired, never);
    assert.deepEqual(
      report.changes.map(({ action, name, fields, isDrift }) => [action, name, fields, isDrift]),
      [
        ['update', 'changed', ['data.a'], true],
        ['create', 'deleted', [], true],
      ],
    );
    assert.equal(repaired.length, 2);
    assert.deepEqual(await dataOf(mcp, 'changed'), { a: '1' });
  });

  it('whose marks were taken off are marked again', async () => {
    await using fixture = await startObjectsFixture();
    const desired = on('mcp', configMap('bare', { a: '1' }));
    await fixture.objects.apply(ownerA, fixture.connections, desired, never);
    await eventually(
      async () => (await change(fixture.mcp, 'bare', { metadata: { labels: null } })) && fixture.drifted[0],
    );
    await fixture.objects.apply(ownerA, fixture.connections, desired, never);
    const { metadata } = await fixture.mcp.get(configMapRef('bare'));
    assert.equal(metadata.labels?.['openmcp.cloud/managed-by'], 'foo');
  });

  it('do not wake their owner by what it writes itself', async () => {
    await using fixture = await startObjectsFixture();
    for (let round = 0; round < 20; round++) {
      const desired = on('mcp', configMap('busy', { round: String(round) }));
      await fixture.objects.apply(ownerA, fixture.connections, desired, never);
    }
    await change(fixture.mcp, 'busy', { data: { round: 'x' } });
    await eventually(() => fixture.drifted.length > 0);
    assert.deepEqual(fixture.drifted, ['tenant/a']);
  });

  it('of another provider or owner are left alone', async () => {
    await using fixture = await startObjectsFixture();
    const theirs = configMap('theirs', { a: 'theirs' });
    theirs.metadata.labels = { 'openmcp.cloud/managed-by': 'bar' };
    await fixture.mcp.create(configMapRef('theirs'), theirs);
    await fixture.objects.apply(ownerB, fixture.connections, on('mcp', configMap('of-b', {})), never);
    const desired = on('mcp', configMap('theirs', { a: 'ours' }), configMap('of-b', { a: 'a' }));
    const report = await fixture.objects.apply(ownerA, fixture.connections, desired, never);
    assert.deepEqual([report.reason, report.isReady, report.changes], ['Conflict', false, []]);
    assert.match(
      report.message,
      /ConfigMap "default\/theirs" on the control plane is not ours: it belongs to provider "bar"/,
    );
    assert.match(report.resources[1]?.message ?? '', /belongs to Foo "tenant\/b"/);
    assert.deepEqual(await dataOf(fixture.mcp, 'theirs'), { a: 'theirs' });
    assert.deepEqual(await fixture.objects.remove(ownerA, fixture.connections, desired, never), {
      isRemoved: true,
      message: '',
    });
    assert.equal(await isThere(fixture.mcp, configMapRef('theirs')), true);
    assert.equal(await isThere(fixture.mcp, configMapRef('of-b')), true);
  });

  const disguises = [
    { how: 'another provider in the label', labels: { 'openmcp.cloud/managed-by': 'bar' } },
    { how: 'no label', labels: { 'openmcp.cloud/managed-by': null, 'sdk.chandlery.io/instance': null } },
    { how: 'another owner in the annotation', annotations: { 'sdk.chandlery.io/object': 'tenant/b' } },
    {
      how: 'the label of what was let go',
      labels: { 'sdk.chandlery.io/handed-over': 'true' },
      annotations: { 'sdk.chandlery.io/former-object': 'foo/tenant/b' },
    },
  ];
  for (const { how, ...marks } of disguises) {
    it(`that a tenant gives ${how} are put back, also after a restart, and are removed`, async () => {
      await using fixture = await startObjectsFixture();
      const { connections, mcp, drifted } = fixture;
      const desired = on('mcp', configMap('one', { a: '1' }));
      await fixture.objects.apply(ownerA, connections, desired, never);
      for (const objects of [fixture.objects, fixture.restart()]) {
        drifted.length = 0;
        await objects.apply(ownerA, connections, desired, never);
        await change(mcp, 'one', { metadata: marks, data: { a: 'frozen' } });
        await eventually(() => drifted.includes('tenant/a'), { what: 'the drift to be noticed' });
        await eventually(async () => {
          const { reason } = await objects.apply(ownerA, connections, desired, never);
          const { metadata, data } = await mcp.get(configMapRef('one'));
          const { labels = {}, annotations = {} } = metadata;
          assert.equal(reason, 'Ready');
          assert.deepEqual(data, { a: '1' });
          assert.equal(labels['openmcp.cloud/managed-by'], 'foo');
          assert.equal(labels['sdk.chandlery.io/handed-over'], undefined);
          assert.equal(annotations['sdk.chandlery.io/object'], 'tenant/a');
          return true;
        });
      }
      await change(mcp, 'one', { metadata: marks });
      await eventually(async () => (await fixture.restart().remove(ownerA, connections, desired, never)).isRemoved);
      assert.equal(await isThere(mcp, configMapRef('one')), false);
    });
  }

  it('that belong to another owner are applied as soon as they are released', async () => {
    await using fixture = await startObjectsFixture();
    const { objects, connections, mcp, changed } = fixture;
    const theirs = configMap('wanted', { a: 'theirs' });
    theirs.metadata.labels = { 'openmcp.cloud/managed-by': 'bar' };
    await mcp.create(configMapRef('wanted'), theirs);
    const desired = on('mcp', configMap('wanted', { a: 'ours' }));
    assert.equal((await objects.apply(ownerA, connections, desired, never)).reason, 'Conflict');
    await change(mcp, 'wanted', { metadata: { labels: null } });
    await eventually(() => changed.includes('tenant/a'), { what: 'the owner to be notified' });
    assert.equal((await objects.apply(ownerA, connections, desired, never)).reason, 'Ready');
    assert.deepEqual(await dataOf(mcp, 'wanted'), { a: 'ours' });
  });

  it('that belong to another owner are created as soon as those are deleted', async () => {
    await using fixture = await startObjectsFixture();
    const { objects, connections, mcp, changed } = fixture;
    const theirs = configMap('wanted', { a: 'theirs' });
    theirs.metadata.labels = { 'openmcp.cloud/managed-by': 'bar' };
    await mcp.create(configMapRef('wanted'), theirs);
    const desired = on('mcp', configMap('wanted', { a: 'ours' }));
    assert.equal((await objects.apply(ownerA, connections, desired, never)).reason, 'Conflict');
    await mcp.delete(configMapRef('wanted'));
    await eventually(() => changed.includes('tenant/a'), { what: 'the owner to be notified' });
    assert.equal((await objects.apply(ownerA, connections, desired, never)).reason, 'Ready');
  });

  it('that have no manager are adopted', async () => {
    await using fixture = await startObjectsFixture();
    await fixture.mcp.create(configMapRef('loose'), configMap('loose', { a: '0', b: 'kept' }));
    await fixture.objects.apply(ownerA, fixture.connections, on('mcp', configMap('loose', { a: '1' })), never);
    assert.deepEqual(await dataOf(fixture.mcp, 'loose'), { a: '1', b: 'kept' });
  });

  it('are planned without writing anything', async () => {
    await using fixture = await startObjectsFixture();
    const { objects, connections, mcp } = fixture;
    const before = on('mcp', configMap('one', { a: '1' }), configMap('two', {}));
    await objects.apply(ownerA, connections, before, never);
    const desired = on('mcp', configMap('one', { a: '2' }), configMap('three', {}, 'nowhere'));
    const planned = await objects.plan(ownerA, connections, desired, never);
    assert.deepEqual(
      planned.map(({ action, name, fields }) => [action, name, fields]),
      [
        ['update', 'one', ['data.a']],
        ['create', 'three', []],
        ['delete', 'two', []],
      ],
    );
    assert.deepEqual(await dataOf(mcp, 'one'), { a: '1' });
    assert.equal(await isThere(mcp, configMapRef('two')), true);
    assert.deepEqual(await objects.plan(ownerA, connections, before, never), []);
  });

  it('are read again with another client, and only differences are notified', async () => {
    await using fixture = await startObjectsFixture();
    const { objects, connections, mcp, drifted } = fixture;
    const desired = on('mcp', configMap('one', { a: '1' }), configMap('two', { a: '1' }));
    await objects.apply(ownerA, connections, desired, never);
    const rotated = { mcp: connectionTo('mcp', countRequests(mcp).client) };
    await objects.apply(ownerA, rotated, desired, never);
    await mcp.delete(configMapRef('two'));
    await eventually(() => drifted.length > 0);
    const report = await objects.apply(ownerA, rotated, desired, never);
    assert.deepEqual(
      report.changes.map(({ name }) => name),
      ['two'],
    );
    objects.forget('mcp');
    await change(mcp, 'one', { data: { a: '2' } });
    const { changes } = await objects.apply(ownerA, rotated, desired, never);
    assert.deepEqual(changes[0]?.fields, ['data.a']);
  });

  it('wait in a namespace that is being deleted, and are made again with it', async () => {
    await using fixture = await startObjectsFixture();
    const { objects, connections, mcp } = fixture;
    const held = configMap('held', {}, 'shop');
    held.metadata.finalizers = ['example.org/hold'];
    const desired = on('mcp', namespace('shop'), configMap('settings', { a: '1' }, 'shop'));
    await objects.apply(ownerA, connections, desired, never);
    await mcp.create(configMapRef('held', 'shop'), held);
    await mcp.delete({ ...namespaces, name: 'shop' });
    const report = await eventually(async () => {
      const each = await objects.apply(ownerA, connections, desired, never);
      return each.resources[0]?.phase === 'Terminating' && each;
    });
    assert.equal(report.resources[1]?.phase, 'Pending');
    await mcp.patch(configMapRef('held', 'shop'), { type: 'merge', body: { metadata: { finalizers: null } } });
    await eventually(async () => (await objects.apply(ownerA, connections, desired, never)).isReady);
    assert.equal(await isThere(mcp, configMapRef('settings', 'shop')), true);
  });
});
