import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isError } from '@chandlery/api';
import { crds, startTestKernel, type TestKernel, testCrd } from '../test-kernel.ts';
import { crdResource } from './kind-registry.ts';

const schemaOf = (spec: object) => ({ openAPIV3Schema: { type: 'object', properties: { spec } } });
const version = (name: string, spec: object, more: object = {}) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: schemaOf(spec),
  ...more,
});
const text = { type: 'string' };

describe('custom kinds', () => {
  let plane: TestKernel;
  before(async () => {
    plane = await startTestKernel();
  });
  after(() => plane[Symbol.asyncDispose]());

  test('are served in every version, converted by pruning and defaults of that version', async () => {
    const v1 = version('v1', { type: 'object', properties: { a: text, b: text } });
    const v2 = version('v2', { type: 'object', properties: { a: text, c: { type: 'string', default: 'new' } } });
    await plane.create(crds, testCrd('twos', { versions: [v1, v2] }));
    await plane.create('example.org/v1/twos', { metadata: { name: 'x' }, spec: { a: '1', b: '2' } });
    const shown = await plane.get('example.org/v2/twos', 'x');
    assert.equal(shown.apiVersion, 'example.org/v2');
    assert.deepEqual(shown['spec'], { a: '1', c: 'new' });
    await plane.create('example.org/v2/twos', { metadata: { name: 'y' }, spec: { a: '3' } });
    assert.deepEqual((await plane.get('example.org/v1/twos', 'y'))['spec'], { a: '3' });
    assert.deepEqual(
      (await plane.list('example.org/v2/twos')).map(({ apiVersion, metadata }) => [apiVersion, metadata.name]),
      [
        ['example.org/v2', 'x'],
        ['example.org/v2', 'y'],
      ],
    );
  });

  test('bring objects that were written before up to a changed schema when they are read', async () => {
    await plane.create(
      crds,
      testCrd('olds', { versions: [version('v1', { type: 'object', properties: { a: text, b: text } })] }),
    );
    await plane.create('example.org/v1/olds', { metadata: { name: 'x' }, spec: { a: '1', b: '2' } });
    await plane.change(crds, 'olds.example.org', crd => {
      const changed = { type: 'object', properties: { a: text, c: { type: 'string', default: 'later' } } };
      crd['spec'] = { ...(crd['spec'] as object), versions: [version('v1', changed)] };
    });
    assert.deepEqual((await plane.get('example.org/v1/olds', 'x'))['spec'], { a: '1', c: 'later' });
    const { resource } = await plane.target('example.org/v1/olds');
    const { sinceRevision } = resource;
    await plane.change(crds, 'olds.example.org', crd => {
      crd.metadata.labels = { touched: 'yes' };
    });
    const later = (await plane.target('example.org/v1/olds')).resource;
    assert.equal(later.sinceRevision, sinceRevision, 'a change beside the spec outdates nothing');
    assert.ok((later.crd?.revision ?? 0) > sinceRevision);
  });

  test('are served as soon as a client can read that they are established', async () => {
    await plane.create(crds, testCrd('lates'));
    const key = { cluster: 'onboarding', resource: crdResource, namespace: '', name: 'lates.example.org' };
    const stored = await plane.store.get(key);
    assert.ok(stored);
    await plane.delete(crds, 'lates.example.org');
    await plane.gone(crds, 'lates.example.org');
    await assert.rejects(plane.target('example.org/v1/lates'), /not served/);
    // Another replica writes it: this process learns of it from the store alone.
    const put = { type: 'put', key, expect: { type: 'absent' }, value: stored.value, terms: [] } as const;
    await plane.store.commit({ writes: [put] });
    assert.ok(await plane.target('example.org/v1/lates'));
  });

  test('are compiled once for all logical clusters with the same definition', async () => {
    await plane.create(crds, testCrd('shareds'));
    await plane.create(crds, testCrd('shareds'), { cluster: 'platform' });
    const [here, there] = await Promise.all([
      plane.target('example.org/v1/shareds'),
      plane.target('example.org/v1/shareds', { cluster: 'platform' }),
    ]);
    assert.equal(here.resource.kind, there.resource.kind);
  });

  test('are not served in versions that say so, nor after their definition is deleted', async () => {
    const anything = { type: 'object' };
    const hidden = version('v2', anything, { served: false });
    await plane.create(crds, testCrd('hiddens', { versions: [version('v1', anything), hidden] }));
    await assert.rejects(plane.target('example.org/v2/hiddens'), /not served/);
    await plane.delete(crds, 'hiddens.example.org');
    await plane.gone(crds, 'hiddens.example.org');
    await assert.rejects(plane.target('example.org/v1/hiddens'), /not served/);
  });

  test('cannot lose a version in which objects may be stored', async () => {
    await plane.create(crds, testCrd('keeps'));
    await assert.rejects(
      plane.change(crds, 'keeps.example.org', crd => {
        crd['spec'] = {
          ...(crd['spec'] as object),
          versions: [{ ...version('v3', { type: 'object' }), storage: true }],
        };
      }),
      error => isError(error, 'Invalid') && error.message.includes('storedVersions'),
    );
  });

  test('with the same schema as before a change are still known by the same signature', async () => {
    const before = (await plane.kernel.registry.of('onboarding')).signature;
    await plane.create(crds, testCrd('signs'));
    const during = (await plane.kernel.registry.of('onboarding')).signature;
    await plane.delete(crds, 'signs.example.org');
    await plane.gone(crds, 'signs.example.org');
    assert.notEqual(before, during);
    assert.equal((await plane.kernel.registry.of('onboarding')).signature, before);
  });
});
