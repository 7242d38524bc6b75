import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isError, type KubeObject } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import { forceAnnotation } from '../clusters/logical-cluster-kind.ts';
import { mutateObject } from '../resources/mutate.ts';
import { crds, logicalClusters, startTestKernel, type TestKernel, testCrd, testWrite } from '../test-kernel.ts';

interface Conditioned extends KubeObject {
  status?: { phase?: string; conditions?: { type: string; status: string; reason: string; message: string }[] };
}

const hold = { finalizers: ['example.org/hold'] };

describe('draining', () => {
  let plane: TestKernel;
  before(async () => {
    plane = await startTestKernel();
  });
  after(() => plane[Symbol.asyncDispose]());

  const condition = (object: Conditioned | undefined, type: string) =>
    object?.status?.conditions?.find(candidate => candidate.type === type);
  const release = (resource: string, name: string, place: { cluster?: string; namespace?: string } = {}) =>
    plane.change(resource, name, live => void delete live.metadata.finalizers, place);

  describe('a namespace', () => {
    test('removes everything in it, then itself', async () => {
      const namespace = 'full';
      await plane.create('namespaces', { metadata: { name: namespace } });
      await Promise.all(
        Array.from({ length: 250 }, (_, index) =>
          plane.create('configmaps', { metadata: { name: `c-${index}` } }, { namespace }),
        ),
      );
      await plane.create('secrets', { metadata: { name: 's' } }, { namespace });
      await plane.delete('namespaces', namespace);
      await plane.gone('namespaces', namespace);
      for (const resource of ['configmaps', 'secrets', 'serviceaccounts']) {
        assert.deepEqual(await plane.list(resource, {}, { namespace }), []);
      }
    });

    test('says what it waits for, and goes as soon as that does', async () => {
      const namespace = 'blocked';
      await plane.create('namespaces', { metadata: { name: namespace } });
      for (const name of ['a', 'b']) await plane.create('configmaps', { metadata: { name, ...hold } }, { namespace });
      await plane.delete('namespaces', namespace);
      const found = await eventually(async () => {
        const live = await plane.get('namespaces', namespace);
        return condition(live, 'NamespaceContentRemaining') && live;
      });
      assert.equal((found as Conditioned).status?.phase, 'Terminating');
      assert.deepEqual(
        [
          condition(found, 'NamespaceContentRemaining')?.message,
          condition(found, 'NamespaceFinalizersRemaining')?.message,
        ],
        [
          'Some resources are remaining: configmaps has 2 resource instances',
          'Some content in the namespace has finalizers remaining: example.org/hold in 2 resource instances',
        ],
      );
      for (const name of ['a', 'b']) await release('configmaps', name, { namespace });
      await plane.gone('namespaces', namespace);
    });

    test('is released by the finalize endpoint when another finalizer holds it', async () => {
      const name = 'finalized';
      await plane.create('namespaces', { metadata: { name, ...hold } });
      await plane.delete('namespaces', name);
      const target = await plane.target('namespaces', { name });
      const change = (live: KubeObject): KubeObject => ({ ...live, spec: { finalizers: [] } });
      await mutateObject(plane.deps, target, testWrite, { endpoint: 'finalize', change });
      assert.ok(await plane.find('namespaces', name));
      await release('namespaces', name);
      await plane.gone('namespaces', name);
    });
  });

  describe('a custom kind', () => {
    test('removes its objects, says what it waits for, then goes', async () => {
      await plane.create(crds, testCrd('gadgets'));
      await plane.create('example.org/v1/gadgets', { metadata: { name: 'free' }, spec: {} });
      await plane.create('example.org/v1/gadgets', { metadata: { name: 'held', ...hold }, spec: {} });
      await plane.delete(crds, 'gadgets.example.org');
      await eventually(
        async () =>
          condition(await plane.get(crds, 'gadgets.example.org'), 'Terminating')?.reason ===
          'InstanceDeletionInProgress',
      );
      assert.deepEqual(
        (await plane.list('example.org/v1/gadgets')).map(({ metadata }) => metadata.name),
        ['held'],
      );
      await release('example.org/v1/gadgets', 'held');
      await plane.gone(crds, 'gadgets.example.org');
    });

    test('gets names that were taken when their holder goes', async () => {
      await plane.create(crds, testCrd('firsts', { names: { kind: 'Same', shortNames: ['sm'] } }));
      await plane.create(crds, testCrd('seconds', { names: { kind: 'Same', singular: 'second' } }));
      const refused = condition(await plane.get(crds, 'seconds.example.org'), 'NamesAccepted');
      assert.deepEqual(
        [refused?.status, refused?.reason, refused?.message],
        ['False', 'KindConflict', '"Same" is already in use'],
      );
      await plane.delete(crds, 'firsts.example.org');
      await eventually(
        async () => condition(await plane.get(crds, 'seconds.example.org'), 'Established')?.status === 'True',
      );
      await plane.create('example.org/v1/seconds', { metadata: { name: 'x' }, spec: {} });
    });
  });

  describe('a logical cluster', () => {
    const place = { cluster: 'platform' };
    const rowsOf = async (cluster: string) => plane.store.collections(cluster);

    test('leaves no row, and another of the same name sees nothing of it', async () => {
      const cluster = 'tenant';
      await plane.create(logicalClusters, { metadata: { name: cluster } }, place);
      await plane.create(crds, testCrd('widgets'), { cluster });
      await plane.create(
        'example.org/v1/widgets',
        { metadata: { name: 'w', labels: { a: 'b' } }, spec: {} },
        { cluster },
      );
      await plane.create('configmaps', { metadata: { name: 'c' } }, { cluster });
      await plane.delete(logicalClusters, cluster, {}, place);
      await plane.gone(logicalClusters, cluster, place);
      assert.deepEqual(await rowsOf(cluster), []);
      const history = await plane.store.changes({ after: await plane.store.compactedRevision(), limit: 100_000 });
      assert.deepEqual(
        history.changes.filter(({ key }) => key.cluster === cluster),
        [],
      );
      await plane.create(logicalClusters, { metadata: { name: cluster } }, place);
      assert.deepEqual(await plane.list('configmaps', {}, { cluster }), []);
      await assert.rejects(plane.target('example.org/v1/widgets', { cluster }), /not served/);
      assert.equal((await plane.list('namespaces', {}, { cluster })).length, 2);
    });

    test('waits for finalizers, says so, and takes nothing new', async () => {
      const cluster = 'waiting';
      await plane.create(logicalClusters, { metadata: { name: cluster } }, place);
      await plane.create('configmaps', { metadata: { name: 'c', ...hold } }, { cluster });
      await plane.delete(logicalClusters, cluster, {}, place);
      const found = await eventually(async () =>
        condition(await plane.get(logicalClusters, cluster, place), 'ContentsRemaining'),
      );
      assert.match(
        found.message,
        /configmaps has 1 resource instances; waiting for finalizers: example\.org\/hold in 1/,
      );
      await assert.rejects(plane.create('configmaps', { metadata: { name: 'd' } }, { cluster }), error =>
        isError(error, 'Forbidden'),
      );
      await assert.rejects(plane.create('namespaces', { metadata: { name: 'd' } }, { cluster }), error =>
        isError(error, 'Forbidden'),
      );
      await release('configmaps', 'c', { cluster });
      await plane.gone(logicalClusters, cluster, place);
    });

    test('goes at once by force', async () => {
      const cluster = 'forced';
      await plane.create(logicalClusters, { metadata: { name: cluster } }, place);
      await plane.create('configmaps', { metadata: { name: 'c', ...hold } }, { cluster });
      await plane.delete(logicalClusters, cluster, {}, place);
      await plane.change(
        logicalClusters,
        cluster,
        live => void Object.assign(live.metadata, { annotations: { [forceAnnotation]: 'true' } }),
        place,
      );
      await plane.gone(logicalClusters, cluster, place);
      assert.deepEqual(await rowsOf(cluster), []);
    });

    test('that has been deleted accepts nothing new', async () => {
      const cluster = 'gone';
      await plane.create(logicalClusters, { metadata: { name: cluster } }, place);
      await plane.delete(logicalClusters, cluster, {}, place);
      await plane.gone(logicalClusters, cluster, place);
      for (const resource of ['namespaces', 'configmaps']) {
        await assert.rejects(plane.create(resource, { metadata: { name: 'late' } }, { cluster }), error =>
          isError(error, 'NotFound'),
        );
      }
      assert.deepEqual(await rowsOf(cluster), []);
    });
  });

  test('nothing failed in the background', () => {
    assert.deepEqual(plane.failures, []);
  });
});
