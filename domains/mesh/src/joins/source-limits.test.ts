import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SourceLimits, sourceOf } from './source-limits.ts';

test('an address of IPv6 counts as its network, and a mapped one as IPv4', () => {
  assert.equal(sourceOf('2001:db8:0:1::7'), sourceOf('2001:db8:0:1:ffff::1'));
  assert.notEqual(sourceOf('2001:db8:0:1::7'), sourceOf('2001:db8:0:2::7'));
  assert.equal(sourceOf('::ffff:203.0.113.9'), '203.0.113.9');
  assert.equal(sourceOf('fe80::1%eth0'), 'fe80:0:0:0::/64');
  assert.equal(sourceOf('::1'), '0:0:0:0::/64');
  assert.equal(sourceOf(''), 'unknown');
});

test('a source waits after its burst, and others do not', () => {
  const limits = new SourceLimits({ limit: { perSecond: 1, burst: 2 }, maxSources: 2 });
  assert.deepEqual(
    ['a', 'a', 'a'].map(() => limits.tryTake('203.0.113.9', 0)),
    [0, 0, 1000],
  );
  assert.equal(limits.tryTake('203.0.113.10', 0), 0);
  assert.equal(limits.tryTake('203.0.113.9', 1000), 0);
});

test('so many sources are remembered, and not more', () => {
  const limits = new SourceLimits({ limit: { perSecond: 1, burst: 1 }, maxSources: 2 });
  for (const last of [1, 2, 3]) assert.equal(limits.tryTake(`203.0.113.${last}`, 0), 0);
  assert.equal(limits.tryTake('203.0.113.3', 0), 1000);
  assert.equal(limits.tryTake('203.0.113.1', 0), 0, 'it was forgotten');
});
