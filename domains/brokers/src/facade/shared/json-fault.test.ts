import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findJsonFault } from './json-fault.ts';

const duplicate = (key: string) => ({ type: 'duplicate', key });

const table = [
  { why: 'a plain object', text: '{"a":1,"b":{"a":2}}', fault: undefined },
  { why: 'the same key twice', text: '{"a":1,"a":2}', fault: duplicate('a') },
  { why: 'the same key below', text: '{"x":[{"a":1, "b":0,\n"a" : 2}]}', fault: duplicate('a') },
  { why: 'one of them escaped', text: String.raw`{"a":1,"\u0061":2}`, fault: duplicate('a') },
  { why: 'a text that looks like a key', text: String.raw`{"a":"\"a\":1","b":"a"}`, fault: undefined },
  { why: 'objects beside each other', text: '[{"a":1},{"a":1}]', fault: undefined },
  { why: 'brackets in texts', text: '{"a":"[[[[[[[["}', fault: undefined },
  { why: 'more levels than allowed', text: '[[[[[[1]]]]]]', fault: { type: 'depth' } },
];
for (const { why, text, fault } of table) {
  test(`${why}: ${fault?.type ?? 'nothing'} is found`, () => assert.deepEqual(findJsonFault(text, 5), fault));
}

test('nothing is found in what JSON.stringify writes', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), value => findJsonFault(JSON.stringify(value), 50) === undefined),
  );
});
