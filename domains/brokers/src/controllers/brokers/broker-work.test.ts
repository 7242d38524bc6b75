import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrokerRow } from '../../model/rows.ts';
import { brokerWork } from './broker-work.ts';

const usual = { hasOpenCreate: false, isStale: false, catalogIntervalMs: 0, now: '2026-01-01T00:01:00.000000Z' };
const settled = { ready: true, observedGeneration: 2, catalogFetchedAt: '2026-01-01T00:00:30.000000Z' };

const cases = [
  { why: 'one that was made by hand is asked', status: {}, expected: { type: 'sync' } },
  { why: 'one that is settled is left alone', status: settled, expected: { type: 'none' } },
  {
    why: 'one whose spec was changed is asked',
    status: { ...settled, observedGeneration: 1 },
    expected: { type: 'sync' },
  },
  {
    why: 'one that was begun is asked',
    status: { ready: false },
    given: { hasOpenCreate: true },
    expected: { type: 'sync' },
  },
  { why: 'one whose creation failed is left alone', status: { ready: false }, expected: { type: 'none' } },
  {
    why: 'one whose source has changed is asked',
    status: settled,
    given: { isStale: true },
    expected: { type: 'sync' },
  },
  {
    why: 'one whose catalog is old is asked',
    status: settled,
    given: { catalogIntervalMs: 30_000 },
    expected: { type: 'sync' },
  },
  {
    why: 'one whose catalog is young waits',
    status: settled,
    given: { catalogIntervalMs: 40_000 },
    expected: { type: 'later', delayMs: 10_000 },
  },
  { why: 'one that is being deleted goes', status: settled, isDeleting: true, expected: { type: 'remove' } },
  {
    why: 'one that never became ready can be deleted',
    status: { ready: false },
    isDeleting: true,
    expected: { type: 'remove' },
  },
];

for (const { why, status, given = {}, isDeleting = false, expected } of cases) {
  test(`of brokers, ${why}`, () => {
    const broker = { generation: 2, isDeleting, status } as unknown as BrokerRow;
    assert.deepEqual(brokerWork(broker, { ...usual, ...given }), expected);
  });
}
