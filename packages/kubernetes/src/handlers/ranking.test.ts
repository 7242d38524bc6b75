import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Ranking } from './ranking.ts';

const firstOf = (ranks: readonly (number | undefined)[], limit: number, isDescending = false) => {
  const ranking = new Ranking<number>(limit, { isDescending });
  for (const [index, rank] of ranks.entries()) ranking.add(index, rank);
  return ranking.first();
};

test('what has nothing to sort by comes last, in either direction', () => {
  assert.deepEqual(firstOf([undefined, 2, 1], 3), [2, 1, 0]);
  assert.deepEqual(firstOf([undefined, 2, 1], 3, true), [1, 2, 0]);
});

test('names with numbers sort as people count', () => {
  const ranking = new Ranking<string>(3);
  for (const name of ['web-10', 'web-9', 'api-1']) ranking.add(name, name);
  assert.deepEqual(ranking.first(), ['api-1', 'web-9', 'web-10']);
});

test('the first of many are those of a stable sort of all', () => {
  const rank = fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined });
  fc.assert(
    fc.property(fc.array(rank), fc.integer({ min: 1, max: 8 }), (ranks, limit) => {
      const last = (index: number): number => ranks[index] ?? Number.POSITIVE_INFINITY;
      const sorted = ranks
        .map((_, index) => index)
        .toSorted((one, other) => (last(one) === last(other) ? one - other : last(one) - last(other)));
      assert.deepEqual(firstOf(ranks, limit), sorted.slice(0, limit));
    }),
  );
});
