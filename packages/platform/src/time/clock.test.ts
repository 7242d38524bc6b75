import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock, systemClock } from './clock.ts';

test('a manual clock moves only when it is advanced', () => {
  const clock = new ManualClock('2030-01-01T00:00:00Z');
  assert.equal(clock.now().toISOString(), '2030-01-01T00:00:00.000Z');
  clock.advance(1500);
  assert.equal(clock.now().toISOString(), '2030-01-01T00:00:01.500Z');
  clock.set('2031-01-01T00:00:00Z');
  assert.equal(clock.now().getUTCFullYear(), 2031);
});

test('changing a date that was handed out does not move the clock', () => {
  const clock = new ManualClock('2030-01-01T00:00:00Z');
  clock.now().setUTCFullYear(1999);
  assert.equal(clock.now().getUTCFullYear(), 2030);
});

test('the system clock returns the time of this machine', () => {
  const before = Date.now();
  const received = systemClock.now().getTime();
  assert.ok(received >= before && received <= Date.now());
});
