import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryOf, textMatcher } from './entry.ts';

test('an entry is found by the name that people gave, of which it keeps the beginning', () => {
  const spec = { name: `Shop of ${'a'.repeat(1_000_000)}\nlabel=value` };
  const object = { apiVersion: 'example.org/v1', kind: 'Boat', metadata: { name: 'b-1' }, spec };
  const entry = entryOf({ namespace: 'default', name: 'b-1' }, object, { revision: 1, readers: [] });
  assert.ok(textMatcher('shop OF')?.(entry));
  assert.ok(entry.text.length < 500);
  assert.ok(!textMatcher('label=value')?.(entry));
});
