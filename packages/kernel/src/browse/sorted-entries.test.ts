import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ObjectState, objectStates } from '@chandlery/api';
import fc from 'fast-check';
import type { Entry } from './entry.ts';
import { orderOf } from './rank.ts';
import { SortedEntries } from './sorted-entries.ts';

/** Keys are few, so that entries replace each other; they are many enough for several chunks. */
const entry: fc.Arbitrary<Entry> = fc
  .record({
    namespace: fc.constantFrom('a', 'b', 'c'),
    number: fc.integer({ min: 0, max: 2000 }),
    state: fc.constantFrom(...objectStates),
    rank: fc.option(fc.constantFrom('x-2', 'x-10', 'Y', 3, 1, '-7x', -5, -10, 0.25, '0.7x', 0.5), { nil: undefined }),
  })
  .map(({ namespace, number, state, rank }) => ({
    namespace,
    name: `n-${number}`,
    sortName: '',
    revision: 0,
    state,
    createdAtMs: 0,
    changedAtMs: 0,
    text: '',
    ranks: [rank],
  }));

const page = fc.record({
  state: fc.option(fc.constantFrom<ObjectState>(...objectStates), { nil: undefined }),
  offset: fc.integer({ min: 0, max: 4000 }),
  limit: fc.integer({ min: 0, max: 300 }),
});

test('sorted entries are those of a sorted array, whatever was inserted, replaced and removed', () => {
  const changes = fc.array(fc.record({ entry, isRemoval: fc.boolean() }), {
    minLength: 0,
    maxLength: 6000,
    size: 'max',
  });
  const arbitrary = fc.tuple(changes, fc.array(page, { minLength: 5, maxLength: 10 }), fc.boolean());
  const check = ([all, pages, isDescending]: Parameters<Parameters<typeof arbitrary.map>[0]>[0]): void => {
    const order = orderOf(({ ranks }) => ranks[0], isDescending);
    const sorted = new SortedEntries(order);
    const known = new Map<string, Entry>();
    for (const change of all) {
      const { namespace, name } = change.entry;
      const id = `${namespace}/${name}`;
      const before = known.get(id);
      if (before !== undefined) assert.equal(sorted.remove(before), before);
      known.delete(id);
      if (change.isRemoval) continue;
      assert.equal(sorted.insert(change.entry), undefined);
      known.set(id, change.entry);
    }
    const expected = [...known.values()].sort(order);
    assert.deepEqual(sorted.all(), expected);
    assert.deepEqual([...sorted.from()], expected);
    assert.equal(sorted.size, expected.length);
    assert.deepEqual(
      sorted.counts,
      objectStates.map(state => expected.filter(each => each.state === state).length),
    );
    for (const { state, offset, limit } of pages)
      assert.deepEqual(
        sorted.page({ state, offset, limit }),
        expected.filter(each => state === undefined || each.state === state).slice(offset, offset + limit),
      );
    const middle = expected[Math.floor(expected.length / 2)];
    if (middle !== undefined) assert.equal([...sorted.from(middle)].length, expected.length - expected.indexOf(middle));
  };
  fc.assert(fc.property(arbitrary, check), { numRuns: 40 });
});
