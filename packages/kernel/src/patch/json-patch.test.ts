import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isError, type JsonValue } from '@chandlery/api';
import fc from 'fast-check';
import { applyJsonPatch } from './json-patch.ts';

const parse = (text: string): JsonValue => JSON.parse(text) as JsonValue;

const applied: readonly { why: string; doc: string; patch: string; expected: string }[] = [
  {
    why: 'A.1 add a member',
    doc: '{"foo":"bar"}',
    patch: '[{"op":"add","path":"/baz","value":"qux"}]',
    expected: '{"foo":"bar","baz":"qux"}',
  },
  {
    why: 'A.2 add an item',
    doc: '{"foo":["bar","baz"]}',
    patch: '[{"op":"add","path":"/foo/1","value":"qux"}]',
    expected: '{"foo":["bar","qux","baz"]}',
  },
  {
    why: 'A.3 remove a member',
    doc: '{"baz":"qux","foo":"bar"}',
    patch: '[{"op":"remove","path":"/baz"}]',
    expected: '{"foo":"bar"}',
  },
  {
    why: 'A.4 remove an item',
    doc: '{"foo":["bar","qux","baz"]}',
    patch: '[{"op":"remove","path":"/foo/1"}]',
    expected: '{"foo":["bar","baz"]}',
  },
  {
    why: 'A.5 replace a value',
    doc: '{"baz":"qux","foo":"bar"}',
    patch: '[{"op":"replace","path":"/baz","value":"boo"}]',
    expected: '{"baz":"boo","foo":"bar"}',
  },
  {
    why: 'A.6 move a value',
    doc: '{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}',
    patch: '[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]',
    expected: '{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}',
  },
  {
    why: 'A.7 move an item',
    doc: '{"foo":["all","grass","cows","eat"]}',
    patch: '[{"op":"move","from":"/foo/1","path":"/foo/3"}]',
    expected: '{"foo":["all","cows","eat","grass"]}',
  },
  {
    why: 'A.8 test that succeeds',
    doc: '{"baz":"qux","foo":["a",2,"c"]}',
    patch: '[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]',
    expected: '{"baz":"qux","foo":["a",2,"c"]}',
  },
  {
    why: 'A.10 add a nested member',
    doc: '{"foo":"bar"}',
    patch: '[{"op":"add","path":"/child","value":{"grandchild":{}}}]',
    expected: '{"foo":"bar","child":{"grandchild":{}}}',
  },
  {
    why: 'A.11 unknown members are ignored',
    doc: '{"foo":"bar"}',
    patch: '[{"op":"add","path":"/baz","value":"qux","xyz":123}]',
    expected: '{"foo":"bar","baz":"qux"}',
  },
  {
    why: 'A.14 escapes',
    doc: '{"/":9,"~1":10}',
    patch: '[{"op":"test","path":"/~01","value":10},{"op":"remove","path":"/~1"}]',
    expected: '{"~1":10}',
  },
  {
    why: 'A.16 add a list to a list',
    doc: '{"foo":["bar"]}',
    patch: '[{"op":"add","path":"/foo/-","value":["abc","def"]}]',
    expected: '{"foo":["bar",["abc","def"]]}',
  },
  {
    why: 'add replaces what is there',
    doc: '{"a":1}',
    patch: '[{"op":"add","path":"/a","value":null}]',
    expected: '{"a":null}',
  },
  {
    why: 'the empty key is a key',
    doc: '{"":1}',
    patch: '[{"op":"replace","path":"/","value":2}]',
    expected: '{"":2}',
  },
  { why: 'the whole document', doc: '{"a":1}', patch: '[{"op":"replace","path":"","value":[1]}]', expected: '[1]' },
  {
    why: 'test ignores key order',
    doc: '{"a":{"x":1,"y":[2]}}',
    patch: '[{"op":"test","path":"/a","value":{"y":[2],"x":1}}]',
    expected: '{"a":{"x":1,"y":[2]}}',
  },
  {
    why: 'copies do not share',
    doc: '{"a":{"x":1}}',
    patch: '[{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/b/x","value":2}]',
    expected: '{"a":{"x":1},"b":{"x":2}}',
  },
  {
    why: 'a copy into itself is a snapshot',
    doc: '{"a":{}}',
    patch: '[{"op":"copy","from":"/a","path":"/a/b"}]',
    expected: '{"a":{"b":{}}}',
  },
  {
    why: 'moving to the same place',
    doc: '{"a":1}',
    patch: '[{"op":"move","from":"/a","path":"/a"}]',
    expected: '{"a":1}',
  },
  {
    why: '__proto__ is just a key',
    doc: '{}',
    patch: '[{"op":"add","path":"/__proto__","value":{"polluted":true}}]',
    expected: '{"__proto__":{"polluted":true}}',
  },
];

const refused: readonly { why: string; doc: string; patch: string; code: string }[] = [
  {
    why: 'A.9 failing test',
    doc: '{"baz":"qux"}',
    patch: '[{"op":"test","path":"/baz","value":"bar"}]',
    code: 'Invalid',
  },
  {
    why: 'A.12 missing parent',
    doc: '{"foo":"bar"}',
    patch: '[{"op":"add","path":"/baz/bat","value":"qux"}]',
    code: 'Invalid',
  },
  {
    why: 'A.15 strings are not numbers',
    doc: '{"a":10}',
    patch: '[{"op":"test","path":"/a","value":"10"}]',
    code: 'Invalid',
  },
  { why: 'remove of a missing member', doc: '{}', patch: '[{"op":"remove","path":"/a"}]', code: 'Invalid' },
  { why: 'replace of a missing member', doc: '{}', patch: '[{"op":"replace","path":"/a","value":1}]', code: 'Invalid' },
  { why: 'index behind the end', doc: '[1]', patch: '[{"op":"add","path":"/2","value":1}]', code: 'Invalid' },
  { why: 'index with a leading zero', doc: '[1,2]', patch: '[{"op":"remove","path":"/01"}]', code: 'Invalid' },
  { why: '"-" names no item that is there', doc: '[1]', patch: '[{"op":"remove","path":"/-"}]', code: 'Invalid' },
  { why: 'a step into a scalar', doc: '{"a":1}', patch: '[{"op":"add","path":"/a/b","value":1}]', code: 'Invalid' },
  {
    why: 'inherited members are not there',
    doc: '{}',
    patch: '[{"op":"add","path":"/constructor/prototype/x","value":1}]',
    code: 'Invalid',
  },
  {
    why: 'inherited __proto__ is not there',
    doc: '{}',
    patch: '[{"op":"add","path":"/__proto__/x","value":1}]',
    code: 'Invalid',
  },
  { why: 'move into itself', doc: '{"a":{}}', patch: '[{"op":"move","from":"/a","path":"/a/b"}]', code: 'Invalid' },
  { why: 'removing the document', doc: '{}', patch: '[{"op":"remove","path":""}]', code: 'Invalid' },
  { why: 'not a list', doc: '{}', patch: '{"op":"remove","path":"/a"}', code: 'BadRequest' },
  { why: 'not an operation', doc: '{}', patch: '[1]', code: 'BadRequest' },
  { why: 'unknown operation', doc: '{}', patch: '[{"op":"spam","path":"/a"}]', code: 'BadRequest' },
  { why: 'no operation', doc: '{}', patch: '[{"path":"/a"}]', code: 'BadRequest' },
  { why: 'no path', doc: '{}', patch: '[{"op":"remove"}]', code: 'BadRequest' },
  { why: 'no value', doc: '{}', patch: '[{"op":"add","path":"/a"}]', code: 'BadRequest' },
  { why: 'no from', doc: '{}', patch: '[{"op":"move","path":"/a"}]', code: 'BadRequest' },
  { why: 'path without slash', doc: '{}', patch: '[{"op":"remove","path":"a"}]', code: 'BadRequest' },
  { why: 'broken escape', doc: '{}', patch: '[{"op":"remove","path":"/~2"}]', code: 'BadRequest' },
];

describe('applyJsonPatch', () => {
  for (const { why, doc, patch, expected } of applied) {
    it(`applies: ${why}`, () => {
      assert.equal(JSON.stringify(applyJsonPatch(parse(doc), parse(patch))), expected);
    });
  }

  for (const { why, doc, patch, code } of refused) {
    it(`rejects: ${why}`, () => {
      assert.throws(
        () => applyJsonPatch(parse(doc), parse(patch)),
        error => isError(error, code),
      );
    });
  }

  it('never touches Object.prototype', () => {
    const patch = parse(
      '[{"op":"add","path":"/__proto__","value":{}},{"op":"add","path":"/__proto__/polluted","value":1}]',
    );
    applyJsonPatch({}, patch);
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
  });

  it('changes neither the document nor the patch', () => {
    const document = { a: { b: [1] } };
    const patch = [
      { op: 'add', path: '/c', value: { d: 1 } },
      { op: 'add', path: '/c/e', value: 2 },
      { op: 'remove', path: '/a/b/0' },
    ];
    applyJsonPatch(document, patch);
    assert.deepEqual(document, { a: { b: [1] } });
    assert.deepEqual(patch[0]?.value, { d: 1 });
  });

  it('rejects more than ten thousand operations', () => {
    const patch = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '', value: {} }));
    assert.throws(
      () => applyJsonPatch({}, patch),
      error => isError(error, 'RequestEntityTooLarge'),
    );
    assert.deepEqual(applyJsonPatch({}, patch.slice(1)), {});
  });

  for (const [op, operation] of Object.entries({
    add: { op: 'add', path: '/a/0', value: 1 },
    remove: { op: 'remove', path: '/a/0' },
    move: { op: 'move', from: '/a/0', path: '/a/1' },
  })) {
    it(`bounds how many items "${op}" at the front of a list may move`, () => {
      const patch = (length: number) => Array.from({ length }, () => operation);
      const document = { a: Array.from({ length: 100_000 }, () => 1) };
      assert.throws(
        () => applyJsonPatch(document, patch(9999)),
        error => isError(error, 'RequestEntityTooLarge'),
      );
      applyJsonPatch(document, patch(100));
    });
  }

  it('bounds what copying can add up to', () => {
    const patch = Array.from({ length: 40 }, () => ({ op: 'copy', from: '/a', path: '/a/-' }));
    assert.throws(
      () => applyJsonPatch({ a: [] }, patch),
      error => isError(error, 'RequestEntityTooLarge'),
    );
  });

  it('turns any document into any other by the operations of their difference', () => {
    const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), fc.dictionary(fc.string(), json), (from, to) => {
        const pointer = (key: string): string => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        const patch = [
          ...Object.keys(from).map(key => ({ op: 'remove', path: pointer(key) })),
          ...Object.entries(to).map(([key, value]) => ({ op: 'add', path: pointer(key), value })),
        ];
        assert.equal(canonical(applyJsonPatch(from, patch)), canonical(to));
      }),
    );
  });
});

const canonical = (value: JsonValue): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))
      : part,
  );
