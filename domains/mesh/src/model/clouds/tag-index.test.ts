import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexOnce, TagIndex } from './tag-index.ts';

test('things are found by all of their tags', () => {
  const index = new TagIndex<string>();
  for (const [thing, key, value] of [
    ['a', 'app', 'web'],
    ['a', 'stage', 'prod'],
    ['b', 'app', 'web'],
    ['b', 'stage', 'test'],
    ['c', 'app', 'books'],
    ['c', 'stage', 'prod'],
    ['d', '__proto__', 'web'],
  ] as const)
    index.add(key, value, thing);
  assert.deepEqual(index.find({ app: 'web' }), ['a', 'b']);
  assert.deepEqual(index.find({ app: 'web', stage: 'prod' }), ['a']);
  assert.deepEqual(index.find({ app: 'web', stage: 'none' }), []);
  assert.deepEqual(index.find({ constructor: 'web' }), []);
  assert.deepEqual(index.find({}), []);
});

test('an index is built once for what was read', () => {
  let builds = 0;
  const indexOf = indexOnce<readonly string[], string>((things, index) => {
    builds += 1;
    for (const thing of things) index.add('name', thing, thing);
  });
  const [first, second] = [['a'], ['b']];
  assert.deepEqual(indexOf(first).find({ name: 'a' }), ['a']);
  assert.deepEqual(indexOf(first).find({ name: 'b' }), []);
  assert.deepEqual(indexOf(second).find({ name: 'b' }), ['b']);
  assert.equal(builds, 2);
});
