import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SortedBlocks } from './sorted-blocks.ts';

const compare = (one: number, other: number): number => one - other;

test('after any changes, blocks show what a sorted list shows', () => {
  const change = fc.record({ type: fc.constantFrom('put', 'put', 'remove'), item: fc.nat(3000) });
  fc.assert(
    fc.property(
      fc.nat(2500),
      fc.array(change, { maxLength: 400 }),
      fc.nat(3000),
      fc.nat(700),
      (count, changes, offset, limit) => {
        const model = new Set(Array.from({ length: count }, (_, at) => at));
        const blocks = new SortedBlocks(compare, [...model]);
        for (const { type, item } of changes) {
          if (type === 'put') {
            model.add(item);
            blocks.put(item);
          } else {
            model.delete(item);
            blocks.remove(item);
          }
        }
        const expected = [...model].sort(compare);
        assert.equal(blocks.size, expected.length);
        assert.deepEqual([...blocks], expected);
        assert.deepEqual(blocks.slice(offset, limit), expected.slice(offset, offset + limit));
      },
    ),
    { numRuns: 50 },
  );
});
