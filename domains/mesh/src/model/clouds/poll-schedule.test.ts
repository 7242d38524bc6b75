import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterFailure, afterSuccess, dueMs } from './poll-schedule.ts';

const outcome = { demand: 'a', nowMs: 1000, endMs: 1000, pollMs: 30_000, random: 0 };

test('an account that was never read is due at once', () => {
  assert.equal(dueMs(undefined, 'a'), 0);
});

test('an account is read again after its pause, and sooner when its resources ask for more', () => {
  const last = afterSuccess(outcome);
  assert.equal(dueMs(last, 'a'), 31_000);
  assert.equal(dueMs(last, 'b'), 3000);
  assert.equal(dueMs(afterSuccess({ ...outcome, random: 0.5 }), 'a'), 29_500);
});

test('pauses grow with failures in a row, up to five minutes, and start anew after a success', () => {
  let last = afterFailure(undefined, outcome);
  const pauses = [last.nextMs - 1000];
  for (let count = 0; count < 5; count += 1) {
    last = afterFailure(last, outcome);
    pauses.push(last.nextMs - 1000);
  }
  assert.deepEqual(pauses, [30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
  assert.equal(afterFailure(afterSuccess(outcome), outcome).nextMs, 31_000);
});

test('the wait that a cloud asks for is kept, also when resources change', () => {
  const last = afterFailure(undefined, { ...outcome, retryAfterMs: 120_000 });
  assert.equal(dueMs(last, 'a'), 121_000);
  assert.equal(dueMs(last, 'b'), 121_000);
  const partial = afterSuccess({ ...outcome, retryAfterMs: 120_000 });
  assert.equal(dueMs(partial, 'a'), 121_000);
  assert.equal(dueMs(partial, 'a', 20_000), 121_000, 'nor by an event');
});

test('pauses after a failure begin when the read has ended, which may take minutes', () => {
  const slow = { ...outcome, endMs: 241_000, retryAfterMs: 60_000 };
  assert.equal(dueMs(afterFailure(undefined, slow), 'a'), 301_000);
  assert.equal(dueMs(afterFailure(undefined, { ...slow, retryAfterMs: 0 }), 'a'), 271_000);
  assert.equal(dueMs(afterSuccess(slow), 'b'), 301_000, 'also when a part was read');
});

test('a pause that is longer than the largest back-off is kept', () => {
  const last = afterFailure(undefined, { ...outcome, pollMs: 3_600_000 });
  assert.equal(dueMs(last, 'a'), 3_601_000);
});

test('an account is read when an event comes after its last read, but no more often for many of them', () => {
  const last = afterSuccess(outcome);
  assert.equal(dueMs(last, 'a', 999), 31_000, 'before the read');
  assert.equal(dueMs(last, 'a', 1000), 3000);
  assert.equal(dueMs(last, 'a', 20_000), 3000);
});

test('events do not shorten the pauses while the account cannot be read', () => {
  const last = afterFailure(undefined, outcome);
  assert.equal(dueMs(last, 'a', 20_000), last.nextMs);
  assert.equal(dueMs(last, 'b', 20_000), 3000);
});
