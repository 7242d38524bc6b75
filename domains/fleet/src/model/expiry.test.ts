import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideExpiry, type ExpiryDecision, isInGrace } from './expiry.ts';

const now = new Date('2026-01-15T00:00:00Z');
const past = '2026-01-14T23:59:59Z';
const future = '2026-01-16T00:00:00Z';
const grace = 14 * 24 * 3600;

const cases: readonly {
  why: string;
  expiresAt?: string;
  hasLifespan?: boolean;
  quota: 'covered' | 'lost';
  expected: ExpiryDecision;
}[] = [
  { why: 'nothing happens while quota covers it', quota: 'covered', expected: { type: 'keep' } },
  {
    why: 'lost quota begins a grace period',
    quota: 'lost',
    expected: { type: 'set', expiresAt: '2026-01-29T00:00:00.000000Z' },
  },
  {
    why: 'nothing is deleted in the grace period',
    quota: 'lost',
    expiresAt: future,
    expected: { type: 'wait', until: new Date(future) },
  },
  {
    why: 'quota that is back takes the date away',
    quota: 'covered',
    expiresAt: future,
    expected: { type: 'set', expiresAt: undefined },
  },
  {
    why: 'quota that is back at the last moment saves it',
    quota: 'covered',
    expiresAt: past,
    expected: { type: 'set', expiresAt: undefined },
  },
  {
    why: 'the end of the grace period deletes it',
    quota: 'lost',
    expiresAt: past,
    expected: { type: 'delete', why: 'its quota was lost and the grace period has ended' },
  },
  {
    why: 'a trial lives its lifespan, whatever its quota',
    quota: 'lost',
    hasLifespan: true,
    expiresAt: future,
    expected: { type: 'wait', until: new Date(future) },
  },
  {
    why: 'a trial ends without grace',
    quota: 'covered',
    hasLifespan: true,
    expiresAt: past,
    expected: { type: 'delete', why: 'its lifespan has ended' },
  },
  {
    why: 'a lifespan that was configured later does not end what has no date',
    quota: 'covered',
    hasLifespan: true,
    expected: { type: 'keep' },
  },
];

for (const { why, expiresAt, hasLifespan = false, quota, expected } of cases)
  test(why, () => {
    const status = expiresAt === undefined ? {} : { expiresAt };
    assert.deepEqual(decideExpiry({ status, hasLifespan, quota, graceSeconds: grace, now }), expected);
  });

test('only lost quota is a grace period', () => {
  assert.deepEqual(
    [{ expiresAt: future, hasLifespan: false }, { expiresAt: future, hasLifespan: true }, { hasLifespan: false }].map(
      ({ expiresAt, hasLifespan }) => isInGrace({ status: { ...(expiresAt && { expiresAt }) }, hasLifespan }),
    ),
    [true, false, false],
  );
});
