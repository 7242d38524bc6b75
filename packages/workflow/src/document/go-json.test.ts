import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goJson } from './go-json.ts';

test('JSON is written as Go writes it', () => {
  assert.equal(
    goJson({ b: [1, true, null], a: '<x> & "y"' }),
    '{"a":"\\u003cx\\u003e \\u0026 \\"y\\"","b":[1,true,null]}',
  );
});
