import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StructuralSchema } from '@chandlery/api';
import { compilePruner } from './prune.ts';

const text: StructuralSchema = { type: 'string' };
const schema: StructuralSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        name: text,
        list: { type: 'array', items: { type: 'object', properties: { a: text } } },
        map: { type: 'object', additionalProperties: { type: 'object', properties: { a: text } } },
        anything: { type: 'object', additionalProperties: true },
        open: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { closed: { type: 'object', properties: { a: text } } },
        },
        openList: {
          type: 'array',
          'x-kubernetes-preserve-unknown-fields': true,
          items: { type: 'object', properties: { closed: { type: 'object' } } },
        },
        free: { 'x-kubernetes-preserve-unknown-fields': true },
        port: { 'x-kubernetes-int-or-string': true },
        embedded: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          properties: { spec: { type: 'object', properties: { a: text } } },
        },
      },
    },
  },
};

const cases = [
  {
    why: 'keeps what is known',
    given: '{"name":"x","port":1,"list":[{"a":"b"}]}',
    kept: '{"name":"x","port":1,"list":[{"a":"b"}]}',
    pruned: [],
  },
  { why: 'drops what is not', given: '{"name":"x","foo":{"bar":1}}', kept: '{"name":"x"}', pruned: ['spec.foo'] },
  {
    why: 'looks into lists',
    given: '{"list":[{"a":"b"},{"bar":1}]}',
    kept: '{"list":[{"a":"b"},{}]}',
    pruned: ['spec.list[1].bar'],
  },
  {
    why: 'looks into maps',
    given: '{"map":{"k":{"a":"b","c":1}}}',
    kept: '{"map":{"k":{"a":"b"}}}',
    pruned: ['spec.map.k.c'],
  },
  {
    why: 'keeps all of an open map',
    given: '{"anything":{"k":{"a":1}}}',
    kept: '{"anything":{"k":{"a":1}}}',
    pruned: [],
  },
  {
    why: 'closes again what is specified inside an open object',
    given: '{"open":{"x":{"y":1},"closed":{"a":"b","z":1}}}',
    kept: '{"open":{"x":{"y":1},"closed":{"a":"b"}}}',
    pruned: ['spec.open.closed.z'],
  },
  {
    why: 'opens the items of an open list',
    given: '{"openList":[{"x":1,"closed":{"z":1}}]}',
    kept: '{"openList":[{"x":1,"closed":{}}]}',
    pruned: ['spec.openList[0].closed.z'],
  },
  {
    why: 'leaves free places alone',
    given: '{"free":[{"a":{"b":[1]}}]}',
    kept: '{"free":[{"a":{"b":[1]}}]}',
    pruned: [],
  },
  {
    why: 'keeps identity and metadata of embedded resources',
    given: '{"embedded":{"apiVersion":"v1","kind":"K","metadata":{"name":"n","x":1},"spec":{"a":"b","c":1},"d":1}}',
    kept: '{"embedded":{"apiVersion":"v1","kind":"K","metadata":{"name":"n"},"spec":{"a":"b"}}}',
    pruned: ['spec.embedded.metadata.x', 'spec.embedded.spec.c', 'spec.embedded.d'],
  },
  {
    why: 'drops names that every JavaScript object knows',
    given: '{"__proto__":{"a":1},"constructor":1,"toString":2}',
    kept: '{}',
    pruned: ['spec.__proto__', 'spec.constructor', 'spec.toString'],
  },
] as const;

describe('Pruning', () => {
  const prune = compilePruner(schema);

  for (const { why, given, kept, pruned } of cases) {
    it(why, () => {
      const result = prune({ spec: JSON.parse(given) as unknown });
      assert.equal(JSON.stringify(result.object.spec), kept);
      assert.deepEqual(result.pruned, pruned);
    });
  }

  it('works in place', () => {
    const object = { spec: { foo: 1 } };
    assert.equal(prune(object).object, object);
    assert.deepEqual(object, { spec: {} });
  });

  it('treats metadata apart, even where the root preserves everything', () => {
    const pruneOpen = compilePruner({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
    const object = {
      apiVersion: 'v1',
      kind: 'K',
      metadata: { name: 'n', labels: { a: 'b' }, foo: 1 },
      any: { thing: 1 },
    };
    assert.deepEqual(pruneOpen(object).pruned, ['metadata.foo']);
    assert.deepEqual(object, {
      apiVersion: 'v1',
      kind: 'K',
      metadata: { name: 'n', labels: { a: 'b' } },
      any: { thing: 1 },
    } as never);
  });

  it('survives values of the wrong type', () => {
    for (const value of [null, 1, 'x', []]) assert.deepEqual(prune({ spec: value }).pruned, []);
  });

  it('names the first hundred fields only', () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`x${index}`, 1]));
    const { object, pruned } = prune({ spec: many });
    assert.deepEqual(object, { spec: {} });
    assert.equal(pruned.length, 100);
  });
});
