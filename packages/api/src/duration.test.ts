import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDurationMs } from './duration.ts';

test('durations are read as Go writes them', () => {
  assert.equal(parseDurationMs('1h30m'), 5_400_000);
  assert.equal(parseDurationMs('1.5s'), 1500);
  assert.equal(parseDurationMs('250ms'), 250);
  for (const text of ['soon', '', '5', '1h 30m', '-1s']) assert.equal(parseDurationMs(text), undefined, text);
});
