import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isError, type JsonObject } from '@chandlery/api';
import { widgetSchema } from '../apply/test-schema.ts';
import { applyStrategicMerge } from './strategic-merge.ts';

const containers = (...names: string[]): JsonObject[] => names.map(name => ({ name, image: `${name}:1` }));
const spec = (value: JsonObject): JsonObject => ({ spec: value });
const schema = {
  ...widgetSchema,
  properties: {
    ...widgetSchema.properties,
    swap: { type: 'object', 'x-kubernetes-patch-strategy': 'replace' },
    oneOf: { type: 'object', 'x-kubernetes-patch-strategy': 'retainKeys' },
    volumes: {
      type: 'array',
      items: { type: 'object' },
      'x-kubernetes-patch-strategy': 'merge,retainKeys',
      'x-kubernetes-patch-merge-key': 'name',
    },
  },
} as typeof widgetSchema;

const table: readonly { why: string; original: JsonObject; patch: JsonObject; expected: JsonObject }[] = [
  {
    why: 'maps merge and null deletes',
    original: { a: { b: 1, c: 2 } },
    patch: { a: { b: null, d: 3 } },
    expected: { a: { c: 2, d: 3 } },
  },
  {
    why: 'null for what is absent does nothing',
    original: {},
    patch: { a: null, b: { c: null } },
    expected: { b: {} },
  },
  {
    why: 'lists without strategy are replaced',
    original: spec({ steps: ['a', 'b'] }),
    patch: spec({ steps: ['c'] }),
    expected: spec({ steps: ['c'] }),
  },
  {
    why: 'finalizers merge as a set',
    original: { metadata: { finalizers: ['a', 'b'] } },
    patch: { metadata: { finalizers: ['b', 'c'] } },
    expected: { metadata: { finalizers: ['a', 'b', 'c'] } },
  },
  {
    why: 'finalizers are deleted by directive',
    original: { metadata: { finalizers: ['a', 'b'] } },
    patch: { metadata: { '$deleteFromPrimitiveList/finalizers': ['a', 'x'] } },
    expected: { metadata: { finalizers: ['b'] } },
  },
  {
    why: 'deletion and order together',
    original: { metadata: { finalizers: ['a', 'b', 'c'] } },
    patch: { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'], '$setElementOrder/finalizers': ['c', 'b'] } },
    expected: { metadata: { finalizers: ['c', 'b'] } },
  },
  {
    why: 'owner references merge by uid',
    original: { metadata: { ownerReferences: [{ uid: '1', name: 'x' }] } },
    patch: {
      metadata: {
        ownerReferences: [
          { uid: '2', name: 'y' },
          { uid: '1', name: 'z' },
        ],
      },
    },
    expected: {
      metadata: {
        ownerReferences: [
          { uid: '2', name: 'y' },
          { uid: '1', name: 'z' },
        ],
      },
    },
  },
  {
    why: 'a matching item merges',
    original: spec({ containers: containers('a', 'b') }),
    patch: spec({ containers: [{ name: 'b', image: 'b:2' }] }),
    expected: spec({
      containers: [
        { name: 'a', image: 'a:1' },
        { name: 'b', image: 'b:2' },
      ],
    }),
  },
  {
    why: 'an item of unknown place goes first',
    original: spec({ containers: containers('a') }),
    patch: spec({ containers: containers('b') }),
    expected: spec({ containers: containers('b', 'a') }),
  },
  {
    why: 'an item is deleted by directive',
    original: spec({ containers: containers('a', 'b') }),
    patch: spec({ containers: [{ name: 'a', $patch: 'delete' }] }),
    expected: spec({ containers: containers('b') }),
  },
  {
    why: 'deleting an absent item does nothing',
    original: spec({ containers: containers('b') }),
    patch: spec({ containers: [{ name: 'a', $patch: 'delete' }] }),
    expected: spec({ containers: containers('b') }),
  },
  {
    why: 'a list is replaced by directive',
    original: spec({ containers: containers('a', 'b') }),
    patch: spec({ containers: [{ $patch: 'replace' }, ...containers('c')] }),
    expected: spec({ containers: containers('c') }),
  },
  {
    why: '$patch: merge is what happens anyway',
    original: spec({ containers: containers('a') }),
    patch: spec({ $patch: 'merge', containers: [{ name: 'a', $patch: 'merge', x: 1 }] }),
    expected: spec({ containers: [{ name: 'a', image: 'a:1', x: 1 }] }),
  },
  {
    why: 'a map is replaced by directive',
    original: { a: { b: 1 } },
    patch: { a: { $patch: 'replace', c: 2 } },
    expected: { a: { c: 2 } },
  },
  {
    why: 'a map is emptied by directive',
    original: { a: { b: 1 } },
    patch: { a: { $patch: 'delete' } },
    expected: { a: {} },
  },
  {
    why: 'a map with strategy replace is replaced',
    original: { swap: { a: 1 } },
    patch: { swap: { b: 2 } },
    expected: { swap: { b: 2 } },
  },
  {
    why: '$retainKeys clears the others',
    original: { oneOf: { emptyDir: {}, name: 'x' } },
    patch: { oneOf: { $retainKeys: ['name', 'hostPath'], hostPath: {} } },
    expected: { oneOf: { name: 'x', hostPath: {} } },
  },
  {
    why: '$retainKeys inside list items',
    original: { volumes: [{ name: 'v', emptyDir: {} }] },
    patch: { volumes: [{ name: 'v', $retainKeys: ['name', 'secret'], secret: {}, emptyDir: null }] },
    expected: { volumes: [{ name: 'v', secret: {} }] },
  },
  {
    why: '$setElementOrder alone reorders',
    original: spec({ containers: containers('a', 'b', 'c') }),
    patch: spec({ '$setElementOrder/containers': [{ name: 'c' }, { name: 'a' }, { name: 'b' }] }),
    expected: spec({ containers: containers('c', 'a', 'b') }),
  },
  {
    why: 'kubectl apply: a new item stands where the order says',
    original: spec({ containers: containers('a', 'b') }),
    patch: spec({
      '$setElementOrder/containers': [{ name: 'a' }, { name: 'n' }, { name: 'b' }],
      containers: containers('n'),
    }),
    expected: spec({ containers: containers('a', 'n', 'b') }),
  },
  {
    why: 'kubectl apply: items of the server keep their place',
    original: spec({ containers: containers('a', 's', 'b') }),
    patch: spec({
      '$setElementOrder/containers': [{ name: 'a' }, { name: 'b' }],
      containers: [{ name: 'b', image: 'b:2' }],
    }),
    expected: spec({ containers: [...containers('a', 's'), { name: 'b', image: 'b:2' }] }),
  },
  {
    why: 'kubectl apply: removed, added and changed at once',
    original: spec({ containers: containers('x', 'a', 's', 'b') }),
    patch: spec({
      '$setElementOrder/containers': [{ name: 'b' }, { name: 'n' }],
      containers: [...containers('n'), { name: 'a', $patch: 'delete' }],
    }),
    expected: spec({ containers: containers('x', 's', 'b', 'n') }),
  },
  {
    why: 'order for a list that is new',
    original: {},
    patch: spec({ '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }], containers: containers('b', 'a') }),
    expected: spec({ containers: containers('b', 'a') }),
  },
  {
    why: 'order for a list that is nowhere',
    original: { spec: {} },
    patch: spec({ '$setElementOrder/containers': [{ name: 'b' }] }),
    expected: { spec: {} },
  },
  {
    why: 'an empty merge list changes nothing',
    original: spec({ containers: [{ name: 'a' }, { name: 'a' }] }),
    patch: spec({ containers: [] }),
    expected: spec({ containers: [{ name: 'a' }, { name: 'a' }] }),
  },
  {
    why: 'a nested list merges by its list-map keys',
    original: spec({ containers: [{ name: 'a', ports: [{ port: 80, name: 'x' }] }] }),
    patch: spec({ containers: [{ name: 'a', ports: [{ port: 80, name: 'y' }, { port: 81 }] }] }),
    expected: spec({ containers: [{ name: 'a', ports: [{ port: 80, name: 'y' }, { port: 81 }] }] }),
  },
  { why: 'another type replaces', original: { a: { b: 1 } }, patch: { a: [1] }, expected: { a: [1] } },
  {
    why: 'directives do not leak into new maps',
    original: {},
    patch: spec({ strategy: { $retainKeys: ['type'], type: 'R' } }),
    expected: spec({ strategy: { type: 'R' } }),
  },
];

const refused: readonly { why: string; patch: JsonObject }[] = [
  { why: 'an unknown $patch', patch: { spec: { $patch: 'frobnicate' } } },
  { why: 'an unknown directive', patch: { spec: { '$frobnicate/containers': [] } } },
  { why: 'an item without its merge key', patch: spec({ containers: [{ image: 'x' }] }) },
  { why: 'an item whose merge key is null', patch: spec({ containers: [{ name: null, image: 'x' }] }) },
  { why: 'an order that is no list', patch: spec({ '$setElementOrder/containers': 'a' }) },
  {
    why: 'a list that contradicts its order',
    patch: spec({ '$setElementOrder/containers': [{ name: 'a' }, { name: 'b' }], containers: containers('b', 'a') }),
  },
  { why: 'a field outside of $retainKeys', patch: { oneOf: { $retainKeys: ['a'], b: 1 } } },
];

describe('applyStrategicMerge', () => {
  for (const { why, original, patch, expected } of table) {
    it(`follows the rule: ${why}`, () => {
      const before = structuredClone({ original, patch });
      assert.deepEqual(applyStrategicMerge(original, patch, schema), expected);
      assert.deepEqual({ original, patch }, before, 'arguments are left alone');
    });
  }

  for (const { why, patch } of refused) {
    it(`rejects ${why}`, () => {
      assert.throws(
        () => applyStrategicMerge({ spec: { containers: [] } }, patch, schema),
        error => isError(error, 'BadRequest'),
      );
    });
  }

  it('deletes and merges items of long lists in one walk of each', () => {
    const length = 100_000;
    const name = (i: number): string => `${i}`;
    const original = spec({ containers: Array.from({ length }, (_, i) => ({ name: name(i), image: 'old' })) });
    const patch = spec({
      containers: Array.from({ length }, (_, i) =>
        i % 2 === 0 ? { name: name(i), $patch: 'delete' } : { name: name(i + 1), image: 'new' },
      ),
    });
    const { spec: merged } = applyStrategicMerge(original, patch, schema) as { spec: { containers: JsonObject[] } };
    assert.equal(merged.containers.length, length / 2 + 1);
    const finalizers = Array.from({ length }, (_, i) => name(i));
    const directive = { metadata: { '$deleteFromPrimitiveList/finalizers': finalizers.slice(1) } };
    assert.deepEqual(applyStrategicMerge({ metadata: { finalizers } }, directive, schema), {
      metadata: { finalizers: ['0'] },
    });
  });

  it('deletes every item of a merge key that occurs more than once', () => {
    const original = spec({ containers: [...containers('a', 'b', 'a'), ...containers('a')] });
    const patch = spec({
      containers: [
        { name: 'a', $patch: 'delete' },
        { name: 'a', image: 'a:2' },
      ],
    });
    assert.deepEqual(applyStrategicMerge(original, patch, schema), {
      spec: { containers: [{ name: 'a', image: 'a:2' }, ...containers('b')] },
    });
  });

  it('takes __proto__ for a key', () => {
    const patch = JSON.parse('{"data":{"__proto__":{"polluted":1}}}') as JsonObject;
    assert.equal(JSON.stringify(applyStrategicMerge({}, patch, {})), '{"data":{"__proto__":{"polluted":1}}}');
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
  });
});
