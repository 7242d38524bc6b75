import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandOfOrder, objectOfOrder, orderOfObject } from './order.ts';

const order = {
  offering: 'postgresdatabase',
  plan: 'default',
  name: 'shop',
  namespace: 'acme',
  parameters: { version: '17', note: "it's" },
};

test('an order is one object, and is read back from it', () => {
  assert.deepEqual(orderOfObject(objectOfOrder(order)), order);
  assert.equal(orderOfObject({ kind: 'Pod' }), undefined);
  assert.equal(orderOfObject(null), undefined);
});

test('the command of an order quotes what a shell would interpret', () => {
  assert.equal(
    commandOfOrder(order),
    `chandlery provision shop postgresdatabase default --tenant acme -c '{"version":"17","note":"it'\\''s"}'`,
  );
});
