import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LruCache } from './lru-cache.ts';

const keysOf = (cache: LruCache<string, number>): string[] => [...cache.keys()].sort();

test('what was asked for stays, the oldest of the rest goes', () => {
  const cache = new LruCache<string, number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  assert.equal(cache.get('a'), 1);
  cache.set('c', 3);
  assert.deepEqual([keysOf(cache), cache.get('b')], [['a', 'c'], undefined]);
});

test('a new entry finds room when all others are wanted', () => {
  const cache = new LruCache<string, number>(2);
  for (const key of ['a', 'b']) cache.set(key, 0);
  for (const key of ['a', 'b']) cache.get(key);
  cache.set('c', 3);
  assert.deepEqual(keysOf(cache), ['b', 'c']);
});

test('a value that is set again is the new one, and no entry more', () => {
  const cache = new LruCache<string, number>(2);
  cache.set('a', 1);
  cache.set('a', 2);
  assert.deepEqual([cache.get('a'), cache.size], [2, 1]);
  cache.delete('a');
  assert.equal(cache.get('a'), undefined);
  cache.set('b', 1);
  cache.clear();
  assert.equal(cache.size, 0);
});

test('whatever is done, there are never too many entries and the last one set is there', () => {
  const step = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e'), isSet: fc.boolean() });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step), (capacity, steps) => {
      const cache = new LruCache<string, number>(capacity);
      for (const [index, { key, isSet }] of steps.entries()) {
        if (!isSet) cache.get(key);
        else {
          cache.set(key, index);
          assert.equal(cache.get(key), index);
        }
        assert.ok(cache.size <= capacity);
      }
    }),
  );
});
