import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject, isSameJson, type JsonValue } from '@chandlery/api';
import fc from 'fast-check';
import { applyMergePatch } from './merge-patch.ts';

/** RFC 7386, appendix A: target, patch, result. */
const examples: readonly (readonly [string, string, string])[] = [
  ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['{"a":"b"}', '{"a":null}', '{}'],
  ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['["a","b"]', '["c","d"]', '["c","d"]'],
  ['{"a":"b"}', '["c"]', '["c"]'],
  ['{"a":"foo"}', 'null', 'null'],
  ['{"a":"foo"}', '"bar"', '"bar"'],
  ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
  ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ['{}', '{"__proto__":{"polluted":true}}', '{"__proto__":{"polluted":true}}'],
];

/** The patch that leads from one document to another; both without nulls. */
function difference(from: JsonValue, to: JsonValue): JsonValue {
  if (!isJsonObject(from) || !isJsonObject(to)) return to;
  const removed = Object.keys(from).filter(key => !Object.hasOwn(to, key));
  const changed = Object.entries(to).map(([key, value]) => {
    const before = Object.hasOwn(from, key) ? from[key] : undefined;
    return [key, before === undefined ? (value ?? null) : difference(before, value ?? null)] as const;
  });
  return Object.fromEntries<JsonValue>([...removed.map(key => [key, null] as const), ...changed]);
}

const { document } = fc.letrec<{ document: JsonValue; map: JsonValue }>(tie => ({
  document: fc.oneof({ maxDepth: 4 }, fc.integer(), fc.string(), fc.array(fc.integer()), tie('map')),
  map: fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), tie('document'), { noNullPrototype: true }),
}));

describe('applyMergePatch', () => {
  for (const [target, patch, expected] of examples) {
    it(`turns ${target} by ${patch} into ${expected}`, () => {
      assert.equal(
        JSON.stringify(applyMergePatch(JSON.parse(target) as JsonValue, JSON.parse(patch) as JsonValue)),
        expected,
      );
      assert.equal(({} as Record<string, unknown>).polluted, undefined);
    });
  }

  it('yields the target when the difference is applied, and nothing more the second time', () => {
    fc.assert(
      fc.property(document, document, (from, to) => {
        const patch = difference(from, to);
        const result = applyMergePatch(from, patch);
        assert.ok(isSameJson(result, to));
        assert.ok(isSameJson(applyMergePatch(result, patch), to));
      }),
    );
  });
});
