import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isError, type JsonValue, type KubeObject } from '@chandlery/api';
import { crds, startTestKernel, type TestKernel, testCrd, testWrite } from '../test-kernel.ts';
import { updateObject } from './mutate.ts';
import { type PatchType, patchObject } from './patch.ts';
import { getScale, patchScale, updateScale } from './scale.ts';

const widgets = 'example.org/v1/widgets';

describe('changing an object', () => {
  let plane: TestKernel;
  let counter = 0;
  before(async () => {
    plane = await startTestKernel();
    await plane.create(crds, testCrd('widgets'));
  });
  after(() => plane[Symbol.asyncDispose]());

  const fresh = async (resource: string, body: object = {}): Promise<KubeObject> => {
    const { metadata = {}, ...rest } = body as { metadata?: object };
    return (await plane.create(resource, { ...rest, metadata: { ...metadata, name: `o-${++counter}` } })).object;
  };
  const put = async (resource: string, body: KubeObject, endpoint: '' | 'status' = '') => {
    const target = await plane.target(resource, { name: body.metadata.name ?? '' });
    return (await updateObject(plane.deps, target, testWrite, { endpoint, body: structuredClone(body) })).object;
  };

  test('needs the present version when it names one', async () => {
    const first = await fresh('configmaps', { data: { a: '1' } });
    const second = await put('configmaps', { ...first, data: { a: '2' } });
    assert.notEqual(second.metadata.resourceVersion, first.metadata.resourceVersion);
    await assert.rejects(
      put('configmaps', { ...first, data: { a: '3' } }),
      error => isError(error, 'Conflict') && error.message.includes('the object has been modified'),
    );
  });

  test('without a version overwrites built-in kinds and is rejected for custom ones', async () => {
    const map = await fresh('configmaps', { data: { a: '1' } });
    delete map.metadata.resourceVersion;
    assert.deepEqual((await put('configmaps', { ...map, data: { b: '2' } }))['data'], { b: '2' });
    for (const resourceVersion of [undefined, '', '0']) {
      const widget = await fresh(widgets, { spec: {} });
      await assert.rejects(
        put(widgets, { ...widget, metadata: { ...widget.metadata, resourceVersion: resourceVersion } }),
        error =>
          isError(error, 'Invalid') &&
          error.message.includes('metadata.resourceVersion: Invalid value: 0x0: must be specified for an update'),
      );
    }
  });

  test('that changes nothing keeps the version and makes no event', async () => {
    const widget = await fresh(widgets, { spec: { a: 1 } });
    await plane.settled();
    const received: unknown[] = [];
    const stop = plane.kernel.feed.listen({ resource: 'example.org/widgets' }, events => void received.push(...events));
    assert.deepEqual(await put(widgets, widget), widget);
    await fresh('configmaps');
    await plane.settled();
    stop();
    assert.deepEqual(received, []);
  });

  test('raises the generation with what the user asks for, and with nothing else', async () => {
    const widget = await fresh(widgets, { spec: { a: 1 } });
    const labelled = await put(widgets, { ...widget, metadata: { ...widget.metadata, labels: { a: 'b' } } });
    const asked = await put(widgets, { ...labelled, spec: { a: 2 } });
    const observed = await put(widgets, { ...asked, status: { seen: true } }, 'status');
    assert.deepEqual(
      [labelled, asked, observed].map(({ metadata }) => metadata.generation),
      [1, 2, 2],
    );
    const { served } = await plane.delete(widgets, widget.metadata.name ?? '', { propagationPolicy: 'Foreground' });
    assert.equal(served.object.metadata.generation, 3);
  });

  test('counts no generations of kinds that have none', async () => {
    const map = await fresh('configmaps');
    const changed = await put('configmaps', { ...map, data: { a: 'b' } });
    assert.ok(!('generation' in changed.metadata));
  });

  test('keeps status and the rest apart by endpoint', async () => {
    const widget = await fresh(widgets, { spec: { a: 1 } });
    const both = { ...widget, metadata: { ...widget.metadata, labels: { a: 'b' } }, spec: { a: 2 }, status: { s: 1 } };
    const observed = await put(widgets, both, 'status');
    assert.deepEqual([observed['spec'], observed['status'], observed.metadata.labels], [{ a: 1 }, { s: 1 }, undefined]);
    const { resourceVersion } = observed.metadata;
    const asked = await put(widgets, {
      ...both,
      metadata: { ...both.metadata, resourceVersion: resourceVersion ?? '' },
      status: { s: 2 },
    });
    assert.deepEqual([asked['spec'], asked['status']], [{ a: 2 }, { s: 1 }]);
  });

  test('cannot change what the server owns', async () => {
    const map = await fresh('configmaps');
    const wanted = {
      generation: 9,
      creationTimestamp: '1999-01-01T00:00:00Z',
      deletionTimestamp: '1999-01-01T00:00:00Z',
    };
    const changed = await put('configmaps', { ...map, metadata: { ...map.metadata, ...wanted, labels: { a: 'b' } } });
    const { labels: _, resourceVersion: __, managedFields: ___, ...kept } = changed.metadata;
    const { resourceVersion: ____, managedFields: _____, ...had } = map.metadata;
    assert.deepEqual(kept, had);
  });

  test('is rejected for another incarnation, another name, and what does not exist', async () => {
    const map = await fresh('configmaps');
    await assert.rejects(
      put('configmaps', { ...map, metadata: { ...map.metadata, uid: 'other' } }),
      error => isError(error, 'Conflict') && error.message.includes('UID in precondition: other'),
    );
    const target = await plane.target('configmaps', { name: 'elsewhere' });
    await assert.rejects(
      async () => updateObject(plane.deps, target, testWrite, { endpoint: '', body: map }),
      error => isError(error, 'BadRequest') && error.message.includes('does not match the name on the URL'),
    );
    await assert.rejects(put('configmaps', { ...map, metadata: { name: 'missing' } }), error =>
      isError(error, 'NotFound'),
    );
  });

  test('lets go of a terminating object with its last finalizer, and adds none', async () => {
    const map = await fresh('configmaps', { metadata: { finalizers: ['example.org/a', 'example.org/b'] } });
    const name = map.metadata.name ?? '';
    await plane.delete('configmaps', name);
    const setFinalizers = (...finalizers: string[]) =>
      plane.change('configmaps', name, live => {
        live.metadata.finalizers = finalizers;
      });
    await assert.rejects(
      setFinalizers('example.org/a', 'example.org/b', 'example.org/c'),
      error => isError(error, 'Invalid') && error.message.includes('no new finalizers can be added'),
    );
    await setFinalizers('example.org/b');
    const { object } = await setFinalizers();
    assert.equal(object.metadata.name, name);
    assert.equal(await plane.find('configmaps', name), undefined);
  });

  test('changes nothing in a dry run', async () => {
    const map = await fresh('configmaps', { data: { a: '1' } });
    const name = map.metadata.name ?? '';
    const tried = await plane.change('configmaps', name, live => void Object.assign(live, { data: { a: '2' } }), {
      write: { dryRun: true },
    });
    assert.deepEqual(tried.object['data'], { a: '2' });
    assert.deepEqual(await plane.get('configmaps', name), map);
  });

  const patch = async (resource: string, name: string, type: PatchType, content: JsonValue) =>
    (
      await patchObject(plane.deps, await plane.target(resource, { name }), testWrite, {
        endpoint: '',
        type,
        patch: content,
      })
    ).object;

  const patches: readonly { type: PatchType; content: JsonValue }[] = [
    { type: 'json', content: [{ op: 'add', path: '/data/b', value: '2' }] },
    { type: 'merge', content: { data: { b: '2' } } },
    { type: 'strategic', content: { data: { b: '2' } } },
  ];
  for (const { type, content } of patches) {
    test(`by a ${type} patch touches only what the patch says`, async () => {
      const map = await fresh('configmaps', { data: { a: '1' } });
      assert.deepEqual((await patch('configmaps', map.metadata.name ?? '', type, content))['data'], { a: '1', b: '2' });
    });
  }

  test('by a strategic merge patch is rejected for custom kinds', async () => {
    const widget = await fresh(widgets, { spec: {} });
    await assert.rejects(
      async () => patch(widgets, widget.metadata.name ?? '', 'strategic', {}),
      error => isError(error, 'UnsupportedMediaType'),
    );
  });

  test('by a hundred patches at once loses none', async () => {
    const map = await fresh('configmaps');
    const name = map.metadata.name ?? '';
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => patch('configmaps', name, 'merge', { data: { [`k${index}`]: 'v' } })),
    );
    assert.equal(Object.keys((await plane.get('configmaps', name))['data'] as object).length, 100);
  });

  test('by a patch that names a version succeeds for one of many', async () => {
    const map = await fresh('configmaps');
    const { name = '', resourceVersion = '' } = map.metadata;
    const attempts = Array.from({ length: 10 }, (_, index) =>
      patch('configmaps', name, 'merge', { metadata: { resourceVersion }, data: { [`k${index}`]: 'v' } }),
    );
    const outcomes = await Promise.allSettled(attempts);
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const outcome of outcomes) if (outcome.status === 'rejected') assert.ok(isError(outcome.reason, 'Conflict'));
  });

  test('of its replicas goes through scale', async () => {
    const deployment = await plane.create('apps/v1/deployments', {
      metadata: { name: 'scaled' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'a' } },
        template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    });
    const target = await plane.target('apps/v1/deployments', { name: 'scaled' });
    const scale = await getScale(plane.deps, target);
    assert.deepEqual([scale['spec'], scale['status']], [{ replicas: 2 }, { replicas: 0, selector: 'app=a' }]);
    await updateScale(plane.deps, target, testWrite, { ...scale, spec: { replicas: 5 } });
    const patched = await patchScale(plane.deps, target, testWrite, {
      type: 'merge',
      patch: { spec: { replicas: 7 } },
    });
    assert.deepEqual(patched['spec'], { replicas: 7 });
    const after = await plane.get('apps/v1/deployments', 'scaled');
    assert.equal((after['spec'] as { replicas: number }).replicas, 7);
    assert.equal(after.metadata.generation, (deployment.object.metadata.generation ?? 0) + 2);
    await assert.rejects(updateScale(plane.deps, target, testWrite, { ...scale, spec: { replicas: 1 } }), error =>
      isError(error, 'Conflict'),
    );
    await assert.rejects(
      patchScale(plane.deps, target, testWrite, { type: 'merge', patch: { spec: { replicas: -1 } } }),
      error => isError(error, 'Invalid'),
    );
  });
});
