import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeDuration, durationMs } from './durations.ts';

test('a bare number is seconds, anything else a Go duration', () => {
  assert.deepEqual(['20', 5, '2m', '1h30m', '500ms'].map(durationMs), [20_000, 5000, 120_000, 5_400_000, 500]);
  assert.throws(() => durationMs('soon'), /unable to parse soon as a duration/);
});

test('durations are described by their two largest units', () => {
  assert.deepEqual([0, 1000, 90_000, 3_600_000, 90_061_000].map(describeDuration), [
    '0 seconds',
    '1 second',
    '1 minute 30 seconds',
    '1 hour',
    '1 day 1 hour',
  ]);
});
