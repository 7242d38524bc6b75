import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryOf, nameFit, textMatcher } from './entry.ts';

test('an entry is found by the name that people gave, of which it keeps the beginning', () => {
  const spec = { name: `Shop of ${'a'.repeat(1_000_000)}\nlabel=value` };
  const object = { apiVersion: 'example.org/v1', kind: 'Boat', metadata: { name: 'b-1' }, spec };
  const entry = entryOf({ namespace: 'default', name: 'b-1' }, object, { revision: 1, readers: [] });
  assert.ok(textMatcher('shop OF')?.(entry));
  assert.ok(entry.text.length < 500);
  assert.ok(!textMatcher('label=value')?.(entry));
});

test('a text fits a name best that is the text, then one that begins with it, then one that has it', () => {
  const fit = nameFit(' Shop ');
  const fitOf = (name: string, given: string, namespace = 'default'): number => {
    const object = { apiVersion: 'example.org/v1', kind: 'Boat', metadata: { name }, spec: { name: given } };
    return fit(entryOf({ namespace, name }, object, { revision: 1, readers: [] }));
  };
  assert.deepEqual([fitOf('shop', 'x'), fitOf('x', 'SHOP'), fitOf('shop-1', ''), fitOf('web-shop', '')], [0, 0, 1, 2]);
  assert.equal(fitOf('x', '', 'shop'), 3, 'a namespace is no name');
});
