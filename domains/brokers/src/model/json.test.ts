import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '@chandlery/api';
import fc from 'fast-check';
import { canonicalJson, hashParameters } from './json.ts';

test('canonical JSON says what the value says', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('canonical JSON does not depend on the order of keys', () => {
  const one = { b: [1, { d: null, c: 'x' }], a: true };
  assert.equal(canonicalJson(one), '{"a":true,"b":[1,{"c":"x","d":null}]}');
  assert.equal(canonicalJson({ a: true, b: [1, { c: 'x', d: null }] }), canonicalJson(one));
});

test('what is absent is left out, and absent parameters equal none', () => {
  assert.equal(canonicalJson({ a: undefined, b: 1 }), '{"b":1}');
  assert.equal(hashParameters(undefined), hashParameters({}));
  assert.equal(hashParameters(null), hashParameters({}));
  assert.notEqual(hashParameters({ a: 1 }), hashParameters({}));
});

test('a key named like the prototype is a key like others', () => {
  assert.equal(canonicalJson(JSON.parse('{"__proto__":{"a":1}}') as JsonValue), '{"__proto__":{"a":1}}');
});
