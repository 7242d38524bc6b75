import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readTokenLife, renewalTime } from './token-life.ts';

const life = (issuedAt: string, expiresAt: string) => ({
  token: 't',
  issuedAt: new Date(issuedAt),
  expiresAt: new Date(expiresAt),
});

describe('the life of a token', () => {
  const cases = [
    {
      why: 'four fifths of 30 days',
      from: '2030-01-01T00:00:00Z',
      to: '2030-01-31T00:00:00Z',
      at: '2030-01-25T00:00:00Z',
    },
    {
      why: 'four fifths of an hour',
      from: '2030-01-01T00:00:00Z',
      to: '2030-01-01T01:00:00Z',
      at: '2030-01-01T00:48:00Z',
    },
    { why: 'not all the time', from: '2030-01-01T00:00:00Z', to: '2030-01-01T00:00:10Z', at: '2030-01-01T00:01:00Z' },
    { why: 'the clock is wrong', from: '2030-01-01T00:00:00Z', to: '2029-01-01T00:00:00Z', at: '2030-01-01T00:01:00Z' },
  ];
  for (const { why, from, to, at } of cases) {
    test(`ends early: ${why}`, () => assert.deepEqual(renewalTime(life(from, to)), new Date(at)));
  }

  test('is read from a Secret that has all of it', () => {
    const data = { token: 't', creationTimestamp: '1893456000', expirationTimestamp: '1893459600' };
    assert.deepEqual(readTokenLife(data), life('2030-01-01T00:00:00Z', '2030-01-01T01:00:00Z'));
    for (const key of Object.keys(data)) assert.equal(readTokenLife({ ...data, [key]: '' }), undefined, key);
    assert.equal(readTokenLife({ ...data, creationTimestamp: 'yesterday' }), undefined);
  });
});
