import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../object.ts';
import { canonicalJson, cloneJson, isJsonObject, isSameJson, mergeDiff } from './json-values.ts';

const anyJson = fc.jsonValue() as fc.Arbitrary<JsonValue>;
const anyObject = fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<JsonObject>;

/** The value with the keys of its objects in the opposite order. */
function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, child]) => [key, reversed(child ?? null)]),
  );
}

describe('JSON values', () => {
  for (const [value, isObject] of [
    [{}, true],
    [[], false],
    [null, false],
    ['a', false],
    [undefined, false],
  ] as const)
    it(`${JSON.stringify(value)} is ${isObject ? 'an' : 'no'} object`, () =>
      assert.equal(isJsonObject(value), isObject));

  it('have the same canonical text whatever the order of their keys', () => {
    fc.assert(fc.property(anyJson, value => assert.equal(canonicalJson(reversed(value)), canonicalJson(value))));
  });

  it('have a canonical text that parses to the same value', () => {
    fc.assert(fc.property(anyJson, value => assert.ok(isSameJson(JSON.parse(canonicalJson(value)), value))));
  });

  it('differ when their canonical texts do', () => {
    fc.assert(
      fc.property(anyJson, anyJson, (a, b) => assert.equal(isSameJson(a, b), canonicalJson(a) === canonicalJson(b))),
    );
  });

  it('are equal to their copies, which share nothing with them', () => {
    const value: JsonObject = { list: [{ a: 1 }], left: undefined, big: 2n ** 60n };
    const copy = cloneJson(value) as JsonObject;
    assert.ok(isSameJson(copy, value));
    assert.deepEqual(Object.keys(copy), ['list', 'big']);
    assert.notEqual(copy['list'], value['list']);
  });

  it('keep a key named __proto__ as an ordinary key', () => {
    const value = JSON.parse('{"__proto__": {"a": 1}}') as JsonValue;
    const copy = cloneJson(value);
    assert.equal(canonicalJson(copy), '{"__proto__":{"a":1}}');
    assert.ok(!isSameJson(copy, {}));
  });

  it('have no merge patch exactly when they are the same', () => {
    fc.assert(
      fc.property(anyObject, anyObject, (a, b) => assert.equal(mergeDiff(a, b) === undefined, isSameJson(a, b))),
    );
  });
});

it('a merge patch removes a field that has the name of a method of every object', () => {
  assert.deepEqual(mergeDiff({ toString: [] }, {}), { toString: null });
});
