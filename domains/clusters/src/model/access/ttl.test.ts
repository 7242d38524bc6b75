import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hasExpired, lifetimeOf, msToExpiry, parseTtlMs } from './ttl.ts';

describe('the ttl of a request', () => {
  const texts: readonly { text: string; ms: number | undefined }[] = [
    { text: '30m', ms: 1_800_000 },
    { text: '24h', ms: 86_400_000 },
    { text: '1h30m', ms: 5_400_000 },
    { text: '1.5h', ms: 5_400_000 },
    { text: '1m30s500ms', ms: 90_500 },
    { text: '90ms', ms: 90 },
    { text: '', ms: undefined },
    { text: '0s', ms: undefined },
    { text: '-1h', ms: undefined },
    { text: '30', ms: undefined },
    { text: '1d', ms: undefined },
    { text: '1h 30m', ms: undefined },
    { text: 'h', ms: undefined },
    { text: `${'9'.repeat(400)}h`, ms: undefined },
  ];
  for (const { text, ms } of texts) {
    test(`"${text.slice(0, 12)}" is ${ms ?? 'no'} ms`, () => assert.equal(parseTtlMs(text), ms));
  }

  test('counts from the creation of the request', () => {
    const lifetime = lifetimeOf('1h', '2030-01-01T00:00:00Z');
    assert.deepEqual(lifetime, { type: 'until', expiresAt: new Date('2030-01-01T01:00:00Z') });
    assert.equal(hasExpired(lifetime, new Date('2030-01-01T00:59:59.999Z')), false);
    assert.equal(hasExpired(lifetime, new Date('2030-01-01T01:00:00Z')), true);
    assert.equal(msToExpiry(lifetime, new Date('2030-01-01T00:59:00Z')), 61_000);
    assert.equal(msToExpiry(lifetime, new Date('2031-01-01T00:00:00Z')), 1000);
  });

  test('may be left out, or be longer than any calendar', () => {
    assert.deepEqual(lifetimeOf(undefined, '2030-01-01T00:00:00Z'), { type: 'endless' });
    assert.equal(msToExpiry({ type: 'endless' }, new Date()), undefined);
    assert.deepEqual(lifetimeOf('2400000000h', '2030-01-01T00:00:00Z'), {
      type: 'until',
      expiresAt: new Date(8.64e15),
    });
    assert.deepEqual(lifetimeOf('soon', '2030-01-01T00:00:00Z'), { type: 'invalid', ttl: 'soon' });
  });
});
