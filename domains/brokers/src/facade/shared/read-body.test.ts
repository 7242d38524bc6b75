import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readJsonBody } from './read-body.ts';

const read = (text: string): unknown => readJsonBody(Buffer.from(text), 'application/json');
const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

test('what programs write is read as it is meant', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), value => {
      const text = JSON.stringify(value);
      assert.deepEqual(read(text), JSON.parse(text));
      assert.deepEqual(read(JSON.stringify(value, undefined, 2)), JSON.parse(text));
    }),
  );
});

const rejected = [
  { why: 'a key stands twice', text: '{"a":1,"a":1}' },
  { why: 'a key stands twice below', text: '{"b":[{"a":1,"a":2}]}' },
  { why: 'a key stands twice, spelled otherwise', text: String.raw`{"a":1,"\u0061":1}` },
  { why: 'there are too many levels', text: nested(201) },
  { why: 'there are too many levels, with white space', text: ` ${nested(201)}` },
  { why: 'it is no object', text: '[{}]' },
  { why: 'it is no JSON', text: '{"a":' },
];
for (const { why, text } of rejected) {
  test(`a body is rejected when ${why}`, () => assert.throws(() => read(text), { code: 'BadRequest' }));
}

test('two hundred levels are allowed', () => assert.equal(JSON.stringify(read(nested(200))), nested(200)));
