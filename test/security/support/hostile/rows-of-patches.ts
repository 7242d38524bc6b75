import { create } from '../objects.ts';
import { bodyRow, core, custom, fields, type HostileRow, thing, times } from './hostile-row.ts';
import type { HostileWorld } from './hostile-world.ts';

const types = {
  json: { method: 'PATCH', headers: { 'content-type': 'application/json-patch+json' } },
  merge: { method: 'PATCH', headers: { 'content-type': 'application/merge-patch+json' } },
  strategic: { method: 'PATCH', headers: { 'content-type': 'application/strategic-merge-patch+json' } },
  apply: { method: 'PATCH', headers: { 'content-type': 'application/apply-patch+yaml' } },
} as const;

const codes = [200, 201, 400, 409, 413, 422];

interface Target {
  readonly collection: string;
  /** The object to patch; its name is added. */
  readonly object: (size: number) => object;
}

const list = (size: number) => thing({ any: { a: times(size, i => i % 10) } });
const keyedThing = (size: number) => thing({ keyed: times(size, i => ({ name: `n${i}`, zone: 'a' })) });
const account = (rest: object) => ({ apiVersion: 'v1', kind: 'ServiceAccount', ...rest });
const things: Target = { collection: `${custom}/things`, object: list };

/** A row whose request patches an object that was stored before, one for each size. */
function patchRow(
  what: string,
  size: number,
  target: Target,
  type: keyof typeof types,
  patch: (size: number) => unknown,
): HostileRow {
  const name = `patched-${what.replaceAll(/[^a-z]+/g, '-').slice(0, 40)}`;
  const row = (length: number): HostileRow => {
    const path = `${target.collection}/${name}-${length}?dryRun=All&fieldManager=me${type === 'apply' ? '&force=true' : ''}`;
    return bodyRow(what, size, path, patch, { ...types[type], codes });
  };
  const rows = new Map([size, size * 10].map(length => [length, row(length)]));
  return {
    what,
    size,
    codes,
    prepare: async (world: HostileWorld, length) => {
      const object = target.object(length) as { metadata?: object };
      const metadata = { ...object.metadata, name: `${name}-${length}` };
      await create(world.tenant, `${target.collection}?fieldManager=other`, { ...object, metadata });
      await rows.get(length)?.prepare?.(world, length);
    },
    send: (world, length) => (rows.get(length) as HostileRow).send(world, length),
  };
}

const operations = (count: number, operation: (index: number) => object) => times(Math.min(count, 9999), operation);
const finalizers = (size: number) => ({ metadata: { finalizers: times(size, i => `example.org/f${i}`) } });
const configMaps: Target = {
  collection: `${core}/configmaps`,
  object: size => ({ apiVersion: 'v1', kind: 'ConfigMap', ...finalizers(size) }),
};
const accounts: Target = {
  collection: `${core}/serviceaccounts`,
  object: size => account({ secrets: times(size, i => ({ name: `s${i}` })) }),
};
const wideMap: Target = {
  collection: `${core}/configmaps`,
  object: size => ({ apiVersion: 'v1', kind: 'ConfigMap', data: fields(size, () => 'x') }),
};
const applied = (spec: object) => thing(spec, '');
const withoutName = ({ metadata: _, ...rest }: ReturnType<typeof thing>) => rest;

/** Patches and applies that compare, move or merge many items. */
export const patchRows: readonly HostileRow[] = [
  patchRow('JSON patch: insertions at the front', 9000, things, 'json', size =>
    operations(size, () => ({ op: 'add', path: '/spec/any/a/0', value: 1 })),
  ),
  patchRow('JSON patch: moves to the front', 9000, things, 'json', size =>
    operations(size, () => ({ op: 'move', from: '/spec/any/a/1', path: '/spec/any/a/0' })),
  ),
  patchRow('JSON patch: removals at the front', 9000, things, 'json', size =>
    operations(size, () => ({ op: 'remove', path: '/spec/any/a/0' })),
  ),
  patchRow('JSON patch: replacements', 9000, things, 'json', size =>
    operations(size, i => ({ op: 'replace', path: `/spec/any/a/${i}`, value: 2 })),
  ),
  patchRow('JSON patch: tests of the whole list', 100, things, 'json', size =>
    operations(size, () => ({ op: 'test', path: '/spec/any/a', value: times(size, i => i % 10) })).slice(0, 40),
  ),
  patchRow('JSON patch: copies of the list', 1000, things, 'json', size =>
    operations(size, i => ({ op: 'copy', from: '/spec/any/a', path: `/spec/any/b${i}` })),
  ),
  patchRow('JSON patch: copies into itself', 1000, things, 'json', size =>
    operations(size, () => ({ op: 'copy', from: '/spec/any', path: '/spec/any/b' })),
  ),
  patchRow('JSON patch: nesting by moves', 300, things, 'json', size =>
    times(Math.min(size, 3000), () => [
      { op: 'add', path: '/spec/b', value: {} },
      { op: 'move', from: '/spec/any', path: '/spec/b/any' },
      { op: 'move', from: '/spec/b', path: '/spec/any' },
    ]).flat(),
  ),
  patchRow('JSON patch: long pointers', 20, things, 'json', size =>
    operations(size, () => ({ op: 'add', path: `/spec${'/a'.repeat(5000)}`, value: 1 })),
  ),
  patchRow('JSON patch: escaped pointers', 10, things, 'json', size =>
    operations(size, () => ({ op: 'add', path: `/spec/${'~01'.repeat(3000)}`, value: 1 })),
  ),
  patchRow('JSON patch: more operations than allowed', 1100, things, 'json', size =>
    times(size, () => ({ op: 'test', path: '/kind', value: 'Thing' })),
  ),
  patchRow('merge patch: many new keys', 1500, wideMap, 'merge', size => ({ data: fields(size, () => 'y') })),
  patchRow('merge patch: many deletions', 1500, wideMap, 'merge', size => ({ data: fields(size, () => null) })),
  patchRow('merge patch: a long list', 4000, things, 'merge', size => ({ spec: { any: { a: times(size, i => i) } } })),
  patchRow('strategic merge: deletion of scalars', 2500, configMaps, 'strategic', size => ({
    metadata: { '$deleteFromPrimitiveList/finalizers': times(size, i => `example.org/g${i}`) },
  })),
  patchRow('strategic merge: addition of scalars', 1500, configMaps, 'strategic', size => ({
    metadata: { finalizers: times(size, i => `example.org/g${i}`) },
  })),
  patchRow('strategic merge: order of scalars', 1500, configMaps, 'strategic', size => ({
    metadata: { '$setElementOrder/finalizers': times(size, i => `example.org/f${size - i}`) },
  })),
  patchRow('strategic merge: changes of items', 1000, accounts, 'strategic', size => ({
    secrets: times(size, i => ({ name: `s${i}`, namespace: 'x' })),
  })),
  patchRow('strategic merge: new items', 1000, accounts, 'strategic', size => ({
    secrets: times(size, i => ({ name: `t${i}` })),
  })),
  patchRow('strategic merge: deletion of items', 1000, accounts, 'strategic', size => ({
    secrets: times(size, i => ({ name: `s${i}`, $patch: 'delete' })),
  })),
  patchRow('strategic merge: order of items', 1000, accounts, 'strategic', size => ({
    '$setElementOrder/secrets': times(size, i => ({ name: `s${size - i}` })),
    secrets: [{ name: 's1', namespace: 'x' }],
  })),
  patchRow('strategic merge: the same item many times', 1000, accounts, 'strategic', size => ({
    secrets: times(size, () => ({ name: 's1', namespace: 'x' })),
  })),
  patchRow('strategic merge: retained keys', 1500, wideMap, 'strategic', size => ({
    data: { $retainKeys: times(size, i => `k${i}`) },
  })),
  patchRow('strategic merge: unknown directives', 1500, wideMap, 'strategic', size => ({
    data: Object.fromEntries(times(size, i => [`$setElementOrder/k${i}`, []])),
  })),
  patchRow('apply: many keys of a map', 1500, wideMap, 'apply', size => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    data: fields(size, () => 'y'),
  })),
  patchRow(
    'apply: items of a keyed list',
    1200,
    { collection: `${custom}/things`, object: keyedThing },
    'apply',
    size => withoutName(applied({ keyed: times(size, i => ({ name: `n${i}`, zone: 'a', size: 2 })) })),
  ),
  patchRow(
    'apply: new items of a keyed list',
    1200,
    { collection: `${custom}/things`, object: keyedThing },
    'apply',
    size => withoutName(applied({ keyed: times(size, i => ({ name: `m${i}`, zone: 'a' })) })),
  ),
  patchRow('apply: the same key many times', 1500, things, 'apply', size =>
    withoutName(applied({ keyed: times(size, () => ({ name: 'n', zone: 'a' })) })),
  ),
  patchRow(
    'apply: items of a set',
    1500,
    { collection: `${custom}/things`, object: size => thing({ set: times(size, i => `s${i}`) }) },
    'apply',
    size => withoutName(applied({ set: times(size, i => `s${size - i}`) })),
  ),
  patchRow('apply: a deep object', 40, things, 'apply', size =>
    withoutName(applied({ any: JSON.parse(`${'{"a":'.repeat(size)}1${'}'.repeat(size)}`) as object })),
  ),
  patchRow('apply: many finalizers', 1500, configMaps, 'apply', size => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    ...finalizers(size),
  })),
  patchRow(
    'update with many managers',
    50,
    {
      collection: `${core}/configmaps`,
      object: size => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        data: fields(50, () => 'x'),
        metadata: {
          managedFields: times(size, i => ({
            manager: `m${i}`,
            operation: 'Apply',
            apiVersion: 'v1',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:data': Object.fromEntries(times(50, at => [`f:k${at}`, {}])) },
          })),
        },
      }),
    },
    'merge',
    () => ({ data: fields(50, () => 'y') }),
  ),
];
