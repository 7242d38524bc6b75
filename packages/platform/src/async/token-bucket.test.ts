import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TokenBucket } from './token-bucket.ts';

test('a token bucket allows a burst, then the rate, and refills up to the burst', () => {
  const bucket = new TokenBucket({ perSecond: 10, burst: 2 }, 0);
  assert.deepEqual([bucket.tryTake(0), bucket.tryTake(0), bucket.tryTake(0)], [0, 0, 100]);
  assert.equal(bucket.tryTake(50), 50);
  assert.equal(bucket.tryTake(100), 0);
  assert.deepEqual([bucket.tryTake(60_000), bucket.tryTake(60_000), bucket.tryTake(60_000)], [0, 0, 100]);
});
