import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isError } from '@chandlery/api';
import { finishSteps } from '@chandlery/platform';
import fc from 'fast-check';
import { findDuplicateKeys, parseJsonStrict } from './duplicate-keys.ts';
import { scanJson } from './json-limits.ts';

const parse = (text: string) => finishSteps(parseJsonStrict(text, scanJson(Buffer.from(text)).keys));
const find = (text: string) => finishSteps(findDuplicateKeys(text));

const cases: readonly (readonly [text: string, duplicates: readonly string[]])[] = [
  ['{}', []],
  ['"a"', []],
  ['{"a":1,"b":1}', []],
  ['{"a":1,"a":2}', ['a']],
  ['{"a":1,"a":2,"a":3}', ['a']],
  ['{"metadata":{"name":"x", "name" : "y"}}', ['metadata.name']],
  ['{"a":[{"b":1},{"b":1,"c":[1,2],"b":2}]}', ['a[1].b']],
  ['{"a":{"x":1},"b":{"x":1}}', []],
  ['{"a":"a","b":"a"}', []],
  [String.raw`{"a\"b":1,"a\"b":2}`, ['a"b']],
  [String.raw`{"\u0061":1,"a":2}`, ['a']],
  [String.raw`{"a":"\\","a":"\\\""}`, ['a']],
  ['{"a":"{\\"b\\":1,\\"b\\":2}"}', []],
  ['[[{"a":1,"a":1}]]', ['[0][0].a']],
  ['{"__proto__":1,"__proto__":2}', ['__proto__']],
];

describe('Strict decoding', () => {
  for (const [text, duplicates] of cases) {
    it(`finds ${JSON.stringify(duplicates)} in ${text}`, () => {
      assert.deepEqual(parse(text), { value: JSON.parse(text) as unknown, duplicates });
    });
  }

  it('finds nothing in what JSON.stringify has written', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2), (json, indent) => {
        assert.deepEqual(find(JSON.stringify(JSON.parse(json), null, indent)), []);
        assert.deepEqual(parse(JSON.stringify(JSON.parse(json), null, indent)).duplicates, []);
      }),
    );
  });

  it('finds every key that is written twice', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), keys => {
        const twice = keys.filter((key, index) => keys.indexOf(key) !== index);
        const text = `{${keys.map(key => `${JSON.stringify(key)}:{}`).join(',')}}`;
        assert.deepEqual(new Set(find(text)), new Set(twice));
        assert.deepEqual(new Set(parse(text).duplicates), new Set(twice));
      }),
    );
  });

  for (const text of ['', '{', '{"a":}', '{"a":1,}', 'nope']) {
    it(`rejects ${JSON.stringify(text)}`, () => {
      assert.throws(
        () => parse(text),
        thrown => isError(thrown, 'BadRequest'),
      );
    });
  }
});
