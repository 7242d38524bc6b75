import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isError, type JsonObject, type JsonValue } from '@chandlery/api';
import { compareObjects } from './compare.ts';
import { parseElement, printPath } from './field-path.ts';
import { type FieldSet, fieldSet, memberPaths } from './field-set.ts';
import { fieldSetOf } from './field-set-of.ts';
import { mergeApplied } from './merge-applied.ts';
import { removeFields } from './remove-fields.ts';
import { widgetSchema as schema } from './test-schema.ts';

const print = (set: FieldSet): string[] => [...memberPaths(set)].map(printPath);
const spec = (value: JsonObject): JsonObject => ({ spec: value });

describe('fieldSetOf', () => {
  const table: readonly { why: string; object: JsonObject; expected: string[] }[] = [
    {
      why: 'scalars are leaves, structs are not owned',
      object: spec({ replicas: 1, strategy: { type: 'R' } }),
      expected: ['.spec.replicas', '.spec.strategy.type'],
    },
    {
      why: 'map keys are owned',
      object: { metadata: { labels: { a: '1', b: '2' } } },
      expected: ['.metadata.labels.a', '.metadata.labels.b'],
    },
    { why: 'an atomic map is one leaf', object: spec({ selector: { a: '1' } }), expected: ['.spec.selector'] },
    { why: 'an atomic list is one leaf', object: spec({ steps: ['a', 'b'] }), expected: ['.spec.steps'] },
    {
      why: 'set items are owned by value',
      object: spec({ tags: ['a', 'b'] }),
      expected: ['.spec.tags[="a"]', '.spec.tags[="b"]'],
    },
    {
      why: 'list items are owned by key, with their fields',
      object: spec({ containers: [{ name: 'w', image: 'i' }] }),
      expected: ['.spec.containers[name="w"]', '.spec.containers[name="w"].image', '.spec.containers[name="w"].name'],
    },
    {
      why: 'missing keys count with their default',
      object: spec({ containers: [{ name: 'w', ports: [{ port: 80 }] }] }),
      expected: [
        '.spec.containers[name="w"]',
        '.spec.containers[name="w"].name',
        '.spec.containers[name="w"].ports[port=80,protocol="TCP"]',
        '.spec.containers[name="w"].ports[port=80,protocol="TCP"].port',
      ],
    },
    { why: 'null is owned', object: spec({ size: null, limits: null }), expected: ['.spec.limits', '.spec.size'] },
    {
      why: 'empty maps and lists are owned',
      object: spec({ limits: {}, tags: [] }),
      expected: ['.spec.limits', '.spec.tags'],
    },
    {
      why: 'unknown parts: maps by key, lists whole',
      object: spec({ free: { a: { b: [{ c: 1 }] }, d: 1 } }),
      expected: ['.spec.free.a', '.spec.free.a.b', '.spec.free.d'],
    },
    {
      why: 'int-or-string is a leaf',
      object: spec({ containers: [{ name: 'w', ports: [{ port: 1, target: 'http' }] }] }),
      expected: [
        '.spec.containers[name="w"]',
        '.spec.containers[name="w"].name',
        '.spec.containers[name="w"].ports[port=1,protocol="TCP"]',
        '.spec.containers[name="w"].ports[port=1,protocol="TCP"].port',
        '.spec.containers[name="w"].ports[port=1,protocol="TCP"].target',
      ],
    },
    {
      why: 'names of Object.prototype are not in the schema',
      object: spec({ constructor: { x: 1 } }),
      expected: ['.spec.constructor', '.spec.constructor.x'],
    },
  ];
  for (const { why, object, expected } of table) {
    it(`knows: ${why}`, () => assert.deepEqual(print(fieldSetOf(object, schema)), expected));
  }

  it('rejects duplicates by default', () => {
    const object = spec({ containers: [{ name: 'w', ports: [{ port: 80 }, { port: 80, protocol: 'TCP' }] }] });
    assert.throws(
      () => fieldSetOf(object, schema),
      error =>
        isError(error, 'BadRequest') &&
        error.message.includes('.spec.containers[name="w"].ports: duplicate entries for key [port=80,protocol="TCP"]'),
    );
    assert.ok(
      print(fieldSetOf(object, schema, { allowDuplicates: true })).includes(
        '.spec.containers[name="w"].ports[port=80,protocol="TCP"]',
      ),
    );
  });

  it('rejects items without identity', () => {
    for (const item of [{ image: 'x' }, 'x', null]) {
      assert.throws(
        () => fieldSetOf(spec({ containers: [item] }), schema),
        error => isError(error, 'BadRequest'),
      );
    }
  });
});

describe('compareObjects', () => {
  const table: readonly {
    why: string;
    before: JsonObject;
    after: JsonObject;
    added?: string[];
    removed?: string[];
    modified?: string[];
  }[] = [
    {
      why: 'nothing',
      before: { size: 'a', tags: ['x'], free: { a: [1] } },
      after: { free: { a: [1] }, tags: ['x'], size: 'a' },
    },
    { why: 'a scalar', before: { size: 'a' }, after: { size: 'b' }, modified: ['.spec.size'] },
    {
      why: 'an added map with its keys',
      before: {},
      after: { limits: { a: '1' } },
      added: ['.spec.limits', '.spec.limits.a'],
    },
    {
      why: 'a removed struct with its fields',
      before: { strategy: { type: 'R' } },
      after: {},
      removed: ['.spec.strategy', '.spec.strategy.type'],
    },
    { why: 'an atomic list', before: { steps: ['a'] }, after: { steps: ['a', 'b'] }, modified: ['.spec.steps'] },
    {
      why: 'an atomic map',
      before: { selector: { a: '1' } },
      after: { selector: { a: '2' } },
      modified: ['.spec.selector'],
    },
    {
      why: 'set items',
      before: { tags: ['a', 'b'] },
      after: { tags: ['c', 'b'] },
      added: ['.spec.tags[="c"]'],
      removed: ['.spec.tags[="a"]'],
    },
    { why: 'order of set items', before: { tags: ['a', 'b'] }, after: { tags: ['b', 'a'] } },
    {
      why: 'list items',
      before: { containers: [{ name: 'a', image: '1' }] },
      after: { containers: [{ name: 'b' }, { name: 'a', image: '2' }] },
      added: ['.spec.containers[name="b"]', '.spec.containers[name="b"].name'],
      modified: ['.spec.containers[name="a"].image'],
    },
    { why: 'empty to absent', before: { tags: [], limits: {} }, after: {}, removed: ['.spec.limits', '.spec.tags'] },
    {
      why: 'map to scalar',
      before: { free: { a: { b: 1 } } },
      after: { free: { a: 2 } },
      removed: ['.spec.free.a.b'],
      modified: ['.spec.free.a'],
    },
    { why: 'null to map', before: { limits: null }, after: { limits: { a: '1' } }, added: ['.spec.limits.a'] },
    { why: 'null to empty map', before: { limits: null }, after: { limits: {} }, modified: ['.spec.limits'] },
    {
      why: 'duplicates that stay',
      before: { tags: ['a', 'a'] },
      after: { tags: ['a', 'a', 'b'] },
      added: ['.spec.tags[="b"]'],
    },
    {
      why: 'duplicates that change',
      before: { containers: [{ name: 'a' }, { name: 'a' }] },
      after: { containers: [{ name: 'a', image: 'x' }] },
      added: ['.spec.containers[name="a"].image', '.spec.containers[name="a"].name'],
      modified: ['.spec.containers[name="a"]'],
    },
    {
      why: 'duplicates that vanish',
      before: { tags: ['a', 'a'] },
      after: { tags: ['b', 'b'] },
      added: ['.spec.tags[="b"]'],
      removed: ['.spec.tags[="a"]'],
    },
  ];
  for (const { why, before, after, added = [], removed = [], modified = [] } of table) {
    it(`sees: ${why}`, () => {
      const comparison = compareObjects(spec(before), spec(after), schema);
      assert.deepEqual(print(comparison.added), added, 'added');
      assert.deepEqual(print(comparison.removed), removed, 'removed');
      assert.deepEqual(print(comparison.modified), modified, 'modified');
    });
  }
});

describe('mergeApplied', () => {
  const items = (names: string): JsonValue[] => names.split('').map(name => ({ name }));
  const orders: readonly (readonly [live: string, applied: string, merged: string])[] = [
    ['abc', 'b', 'abc'],
    ['abc', 'ca', 'bca'],
    ['ab', 'ba', 'ba'],
    ['abc', 'ba', 'bca'],
    ['ab', 'xab', 'xab'],
    ['ab', 'axb', 'axb'],
    ['sa', 'ax', 'sax'],
    ['', 'ab', 'ab'],
    ['ab', '', 'ab'],
    ['abcd', 'xdy', 'abcxdy'],
  ];
  for (const [live, applied, merged] of orders) {
    it(`puts the items of "${applied}" into "${live}" as "${merged}"`, () => {
      const result = mergeApplied(spec({ containers: items(live) }), spec({ containers: items(applied) }), schema);
      assert.deepEqual(result, spec({ containers: items(merged) }));
    });
  }

  const table: readonly { why: string; live: JsonObject; applied: JsonObject; expected: JsonObject }[] = [
    {
      why: 'maps merge by key',
      live: { limits: { a: '1', b: '2' } },
      applied: { limits: { b: '3' } },
      expected: { limits: { a: '1', b: '3' } },
    },
    {
      why: 'atomic lists are replaced',
      live: { steps: ['a', 'b'] },
      applied: { steps: ['c'] },
      expected: { steps: ['c'] },
    },
    {
      why: 'atomic maps are replaced',
      live: { selector: { a: '1' } },
      applied: { selector: { b: '1' } },
      expected: { selector: { b: '1' } },
    },
    {
      why: 'sets unite',
      live: { tags: ['a', 'b'] },
      applied: { tags: ['c', 'b'] },
      expected: { tags: ['a', 'c', 'b'] },
    },
    {
      why: 'default keys match',
      live: { containers: [{ name: 'w', ports: [{ port: 80, protocol: 'TCP' }] }] },
      applied: { containers: [{ name: 'w', ports: [{ port: 80, name: 'x' }] }] },
      expected: { containers: [{ name: 'w', ports: [{ port: 80, protocol: 'TCP', name: 'x' }] }] },
    },
    { why: 'null replaces scalars', live: { size: 'a' }, applied: { size: null }, expected: { size: null } },
    {
      why: 'null leaves filled maps',
      live: { limits: { a: '1' } },
      applied: { limits: null },
      expected: { limits: { a: '1' } },
    },
    {
      why: 'live duplicates give way',
      live: { containers: [{ name: 'a', image: '1' }, { name: 'a', image: '2' }, { name: 'b' }] },
      applied: { containers: [{ name: 'a' }] },
      expected: { containers: [{ name: 'a' }, { name: 'b' }] },
    },
  ];
  for (const { why, live, applied, expected } of table) {
    it(`knows: ${why}`, () => assert.deepEqual(mergeApplied(spec(live), spec(applied), schema), spec(expected)));
  }

  it('returns the live object itself when nothing changes', () => {
    const live = spec({
      limits: { a: '1', b: '2' },
      containers: [{ name: 'a', image: 'x' }, { name: 'b' }],
      steps: ['s'],
    });
    assert.equal(
      mergeApplied(live, spec({ limits: { b: '2' }, containers: [{ name: 'a' }], steps: ['s'] }), schema),
      live,
    );
  });
});

describe('removeFields', () => {
  it('removes fields, items and map keys, and leaves the argument alone', () => {
    const object = spec({
      size: 'a',
      limits: { a: '1', b: '2' },
      tags: ['x', 'y'],
      containers: [
        { name: 'a', image: 'i' },
        { name: 'b', image: 'j' },
      ],
    });
    const before = structuredClone(object);
    const set = fieldSet(
      ['f:spec', 'f:size'],
      ['f:spec', 'f:limits', 'f:a'],
      ['f:spec', 'f:tags', 'v:"x"'],
      ['f:spec', 'f:containers', 'k:{"name":"a"}'],
      ['f:spec', 'f:containers', parseElement('k:{"name":"b"}') ?? '', 'f:image'],
    );
    assert.deepEqual(
      removeFields(object, set, schema),
      spec({ limits: { b: '2' }, tags: ['y'], containers: [{ name: 'b' }] }),
    );
    assert.deepEqual(object, before);
  });
});
