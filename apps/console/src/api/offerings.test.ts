import assert from 'node:assert/strict';
import { test } from 'node:test';
import { originOf } from './offerings.ts';

const brokers = new Map([['b-1', 'rooms']]);

test('an offering is from a provider, the fleet, a service of orders, or a broker', () => {
  assert.deepEqual(originOf('landscape-providers', 'postgres', brokers), { type: 'provider', name: 'postgres' });
  assert.deepEqual(originOf('landscape-fleet', '', brokers), { type: 'fleet', name: '' });
  assert.deepEqual(originOf('landscape-orders.acme', '', brokers), { type: 'orders', name: '' });
  assert.deepEqual(originOf('b-1', 'claimed by the broker', brokers), { type: 'broker', name: 'rooms' });
  assert.deepEqual(originOf('b-2', '', brokers), { type: 'broker', name: '' }, 'one that the user may not see');
});
