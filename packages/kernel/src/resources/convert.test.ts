import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isError, type KindDeclaration, type KubeObject } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import { startTestKernel, type TestKernel, testWrite } from '../test-kernel.ts';
import { applyObject } from './apply.ts';
import { patchObject } from './patch.ts';
import { getObject } from './read.ts';
import { type WatchItem, watchObjects } from './watch.ts';

const noteAnnotation = 'example.org/note';

interface OldBoat extends KubeObject {
  length: string;
}

interface NewBoat extends KubeObject {
  spec: { feet: number; note?: string };
}

/** `v1` says its length at the top and as text, and has no place for a note; `v2` is stored. */
const boats: KindDeclaration = {
  group: 'example.org',
  kind: 'Boat',
  plural: 'boats',
  scope: 'Namespaced',
  versions: [
    {
      name: 'v2',
      storage: true,
      selectableFields: ['.spec.feet'],
      schema: {
        type: 'object',
        required: ['spec'],
        properties: {
          spec: {
            type: 'object',
            required: ['feet'],
            properties: {
              feet: { type: 'integer' },
              note: { type: 'string' },
              rig: { type: 'string', default: 'sloop' },
            },
          },
        },
      },
    },
    {
      name: 'v1',
      schema: { type: 'object', required: ['length'], properties: { length: { type: 'string', pattern: '^\\d+ft$' } } },
      conversion: { fromStorage: toOld, toStorage: toNew, loses: lossesOfOld },
    },
  ],
};

function toOld(stored: KubeObject): KubeObject {
  const { spec, ...rest } = stored as NewBoat;
  const { annotations = {}, ...metadata } = rest.metadata;
  if (spec.note !== undefined) annotations[noteAnnotation] = spec.note;
  // Names are not the converter's business.
  return { ...rest, metadata: { ...metadata, name: 'renamed', annotations }, length: `${spec.feet}ft` };
}

function toNew(shown: KubeObject): KubeObject {
  const { length, metadata, ...rest } = shown as OldBoat;
  const { [noteAnnotation]: note, ...annotations } = metadata.annotations ?? {};
  const spec = { feet: Number.parseInt(length, 10), ...(note === undefined ? {} : { note }) };
  return { ...rest, metadata: { ...metadata, annotations }, spec };
}

function lossesOfOld(stored: KubeObject): string[] {
  return (stored as NewBoat).spec.note === undefined ? [] : ['spec.note cannot be shown in v1'];
}

const old = 'example.org/v1/boats';
const current = 'example.org/v2/boats';

describe('versions of a kind that differ in shape', () => {
  let plane: TestKernel;
  before(async () => {
    plane = await startTestKernel({ kinds: [boats] });
  });
  after(() => plane[Symbol.asyncDispose]());

  test('are stored in the one shape, with its defaults, and shown in the other', async () => {
    const { object } = await plane.create(old, { metadata: { name: 'marie' }, length: '30ft' });
    assert.deepEqual([object.apiVersion, object['length'], object['spec']], ['example.org/v1', '30ft', undefined]);
    const stored = await plane.get(current, 'marie');
    assert.deepEqual([stored.apiVersion, stored['spec']], ['example.org/v2', { feet: 30, rig: 'sloop' }]);
    assert.deepEqual(
      (await plane.list(old, { fieldSelector: 'metadata.name=marie' })).map(boat => boat['length']),
      ['30ft'],
    );
    assert.equal((await plane.list(current, { fieldSelector: 'spec.feet=30' })).length, 1);
  });

  test('are checked by the schema of the version that was sent', async () => {
    const bad = plane.create(old, { metadata: { name: 'bad' }, length: 'long' });
    await assert.rejects(bad, error => isError(error, 'Invalid') && /length/.test(error.message));
    const mixed = plane.create(old, { metadata: { name: 'mixed' }, spec: { feet: 3 } });
    await assert.rejects(mixed, error => isError(error, 'Invalid') && /length/.test(error.message));
  });

  test('keep what the other has no place for, whatever is done through it', async () => {
    await plane.create(current, { metadata: { name: 'noted' }, spec: { feet: 20, note: 'leaks' } });
    const { losses, object } = await getObject(plane.deps, await plane.target(old, { name: 'noted' }));
    assert.deepEqual(losses, ['spec.note cannot be shown in v1']);
    assert.deepEqual([object.metadata.name, object.metadata.annotations], ['noted', { [noteAnnotation]: 'leaks' }]);
    await plane.change(old, 'noted', boat => void Object.assign(boat, { length: '21ft' }));
    const target = await plane.target(old, { name: 'noted' });
    const patch = { endpoint: '', type: 'merge', patch: { metadata: { labels: { a: 'b' } } } } as const;
    await patchObject(plane.deps, target, testWrite, patch);
    const applied = { apiVersion: 'example.org/v1', kind: 'Boat', metadata: { name: 'noted' }, length: '22ft' };
    await applyObject(plane.deps, target, testWrite, { endpoint: '', applied, force: true });
    const { metadata, spec } = (await plane.get(current, 'noted')) as NewBoat;
    assert.deepEqual(spec, { feet: 22, note: 'leaks', rig: 'sloop' });
    assert.deepEqual([metadata.annotations, metadata.labels, metadata.generation], [undefined, { a: 'b' }, 3]);
  });

  test('an unchanged write through another version changes nothing', async () => {
    await plane.create(current, { metadata: { name: 'same' }, spec: { feet: 20, note: 'old' } });
    const before = await plane.get(current, 'same');
    await plane.change(old, 'same', () => undefined);
    assert.deepEqual(await plane.get(current, 'same'), before);
  });

  test('are watched in the shape that was asked for, to the end', async () => {
    const namespace = await plane.newNamespace();
    const items: WatchItem[] = [];
    const sink = { deliver: (more: readonly WatchItem[]) => void items.push(...more), fail: assert.fail };
    const watch = await watchObjects(plane.deps, await plane.target(old, { namespace }), {}, sink);
    const place = { namespace };
    await plane.create(current, { metadata: { name: 'w' }, spec: { feet: 7 } }, place);
    await plane.change(current, 'w', boat => void Object.assign((boat as NewBoat).spec, { feet: 8 }), place);
    await plane.delete(old, 'w', {}, place);
    await eventually(() => items.length === 3, { what: 'three events' });
    watch.stop();
    const received = items.map(
      item => item.type !== 'BOOKMARK' && `${item.type} ${String(item.served.object['length'])}`,
    );
    assert.deepEqual(received, ['ADDED 7ft', 'MODIFIED 8ft', 'DELETED 8ft']);
  });
});
