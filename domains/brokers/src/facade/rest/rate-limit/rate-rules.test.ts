import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '@chandlery/platform';
import { RateLimiter } from './rate-limiter.ts';
import { parseRateRules } from './rate-rules.ts';

test('a setting is read', () => {
  assert.deepEqual(parseRateRules('10000-H, 5-S:/v1/x:PUT'), [
    { count: 10_000, windowMs: 3_600_000, pathPrefix: '/' },
    { count: 5, windowMs: 1000, pathPrefix: '/v1/x', method: 'PUT' },
  ]);
  assert.deepEqual(parseRateRules(''), []);
});

for (const setting of ['x', '0-S', '5-Y', '5-S:v1', '5-S:/v1//x', '5-S:/v1/../x', '5-S:/v1:LOOK', '5-S:/v1:GET:x']) {
  test(`${setting} is rejected`, () => assert.throws(() => parseRateRules(setting), { code: 'InvalidConfig' }));
}

test('all rules that apply count, a rejected request for none, and windows end', () => {
  const clock = new ManualClock('2030-01-01T00:00:00Z');
  const limiter = new RateLimiter(parseRateRules('2-S,3-M:/v1/a:PUT'), clock);
  const take = (method = 'PUT', user = 'u') => limiter.take({ user, method, path: '/v1/a/b' })?.isAllowed;
  assert.deepEqual([take(), take(), take()], [true, true, false]);
  assert.equal(take('PUT', 'other'), true);
  clock.advance(1000);
  assert.deepEqual([take(), take(), take('GET'), take('GET')], [true, false, true, false]);
  clock.advance(1000);
  assert.deepEqual([take(), take('GET')], [false, true]);
});
