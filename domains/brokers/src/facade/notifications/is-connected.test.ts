import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isConnected } from './is-connected.ts';

const settings = { maxPingPeriodMs: 30_000 };
const now = new Date('2030-01-01T00:02:00Z');

const cases = [
  { status: {}, is: false, why: 'it never was' },
  { status: { isConnected: false, lastActiveAt: '2030-01-01T00:02:00.000000Z' }, is: false, why: 'it says not' },
  { status: { isConnected: true, lastActiveAt: '2030-01-01T00:01:59.123456Z' }, is: true, why: 'it was just active' },
  {
    status: { isConnected: true, lastActiveAt: '2030-01-01T00:01:00.000000Z' },
    is: true,
    why: 'two periods are allowed',
  },
  {
    status: { isConnected: true, lastActiveAt: '2030-01-01T00:00:59.999000Z' },
    is: false,
    why: 'its replica has died',
  },
  { status: { isConnected: true }, is: false, why: 'its last activity is unknown' },
];
for (const { status, is, why } of cases)
  test(`a platform is ${is ? '' : 'not '}connected: ${why}`, () => {
    assert.equal(isConnected({ status }, now, settings), is);
  });
