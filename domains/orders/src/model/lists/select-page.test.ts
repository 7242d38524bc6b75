import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finishSteps } from '@chandlery/platform';
import fc from 'fast-check';
import { columnsOf } from './list-column.ts';
import { type ListPosition, newestFirst, parseOrder } from './list-order.ts';
import { formatPage, parsePage } from './page-token.ts';
import { selectPage } from './select-page.ts';

interface Item {
  readonly id: string;
  readonly createdAt: string;
  readonly size: number;
}

const columns = columnsOf<Item>({ text: { id: ({ id }) => id }, number: { size: ({ size }) => size } });

const items = fc.uniqueArray(
  fc.record({ id: fc.nat(200).map(String), createdAt: fc.nat(9).map(String), size: fc.nat(5) }),
  { selector: ({ id }) => id, maxLength: 60 },
);

test('the pages of a list have every record once, in order, whatever the order and the limit', () => {
  const orders = [newestFirst, ...[true, false].map(isDescending => parseOrder('size', { columns, isDescending }))];
  fc.assert(
    fc.property(items, fc.integer({ min: 1, max: 7 }), fc.constantFrom(...orders), (all, limit, order) => {
      const found: Item[] = [];
      let after: ListPosition | undefined;
      do {
        const page = finishSteps(selectPage<Item>(all, { matches: () => true, order, after, limit }));
        assert.ok(page.records.length <= limit);
        found.push(...page.records);
        after = page.last && parsePage(formatPage({ list: 'items', parameters: {}, after: page.last }), 'items').after;
      } while (after !== undefined);
      const sorted = all.toSorted((one, other) => order.compare(order.positionOf(one), order.positionOf(other)));
      assert.deepEqual(found, sorted);
    }),
    { numRuns: 200 },
  );
});

test('a token of another list, or none at all, is rejected', () => {
  const token = formatPage({ list: 'orders', parameters: {}, after: { values: ['x'], id: '1' } });
  for (const bad of [
    token,
    'gdsgQwhdgd',
    '',
    Buffer.from('[]').toString('base64url'),
    Buffer.from('{"list":"items"}').toString('base64url'),
  ])
    assert.throws(() => parsePage(bad, 'items'), { code: 'Orders:invalid-page' }, bad);
});
