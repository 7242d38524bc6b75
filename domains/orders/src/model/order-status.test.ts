import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderStatuses } from '../kinds/index.ts';
import { isEnded, nextOrderStatus, type OrderEvent, timesOfMove } from './order-status.ts';

const events: readonly OrderEvent[] = [
  'accepted',
  'started',
  'idle',
  'lost',
  'succeeded',
  'failed',
  'errored',
  'cancel',
  'cancelled',
  'retry',
];

test('an order that has ended moves by a retry only, and not at all when it succeeded', () => {
  for (const status of orderStatuses.filter(isEnded))
    for (const event of events) {
      const expected = event === 'retry' && status !== 'succeeded' ? 'executing' : undefined;
      assert.equal(nextOrderStatus(status, event), expected, `${status} ${event}`);
    }
});

test('an order that succeeds while it is being cancelled has succeeded; one that fails was cancelled', () => {
  assert.equal(nextOrderStatus('cancelling', 'succeeded'), 'succeeded');
  assert.equal(nextOrderStatus('cancelling', 'failed'), 'cancelled');
  assert.equal(nextOrderStatus('pending', 'cancel'), 'cancelled');
});

test('every status that is no end can be left', () => {
  for (const status of orderStatuses.filter(each => !isEnded(each)))
    assert.ok(
      events.some(event => isEnded(nextOrderStatus(status, event) ?? 'pending')),
      status,
    );
});

test('the end is set once, and cleared by a retry', () => {
  assert.deepEqual(timesOfMove('executing', 't1', {}), { startedAt: 't1' });
  assert.deepEqual(timesOfMove('failed', 't2', { startedAt: 't1' }), { startedAt: 't1', finishedAt: 't2' });
  assert.deepEqual(timesOfMove('failed', 't3', { startedAt: 't1', finishedAt: 't2' }), {
    startedAt: 't1',
    finishedAt: 't2',
  });
  assert.deepEqual(timesOfMove('executing', 't4', { startedAt: 't1', finishedAt: 't2' }), { startedAt: 't1' });
});
