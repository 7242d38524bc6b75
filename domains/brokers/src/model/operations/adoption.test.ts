import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultBrokerSettings } from '../../settings.ts';
import type { InstanceRow, OperationRow } from '../rows.ts';
import { type AdoptionDecision, decideAdoption } from './adoption.ts';

const row = (parts: object): InstanceRow =>
  ({ id: 'i', generation: 1, isDeleting: false, spec: {}, status: {}, ...parts }) as unknown as InstanceRow;

const last = (type: string, state: string, more: { origin?: string; status?: object } = {}): OperationRow =>
  ({
    id: 'o',
    updatedAt: '2030-01-01T00:00:00.000000Z',
    spec: { type, labels: { origin: [more.origin ?? 'kubernetes'] } },
    status: { state, ...more.status },
  }) as unknown as OperationRow;

const notReady = { status: { ready: false, observedGeneration: 1 } };
const ready = { status: { ready: true } };
const retryable = { status: { retryable: true } };

const rows: readonly [
  why: string,
  row: object,
  last: OperationRow | undefined,
  afterMs: number,
  expected: AdoptionDecision,
][] = [
  ['new', {}, undefined, 0, { type: 'create' }],
  ['created by another API, its operation not seen yet', notReady, undefined, 0, { type: 'nothing' }],
  ['being created', notReady, last('create', 'in progress'), 0, { type: 'nothing' }],
  [
    'being cleaned up',
    notReady,
    last('create', 'failed', { status: { retryable: true, deletionScheduledAt: 'x' } }),
    1e9,
    { type: 'nothing' },
  ],
  ['refused', notReady, last('create', 'failed'), 1e9, { type: 'nothing' }],
  ['refused, then changed', { ...notReady, generation: 2 }, last('create', 'failed'), 0, { type: 'create' }],
  ['failed just now', notReady, last('create', 'failed', retryable), 1000, { type: 'wait', delayMs: 19_000 }],
  ['failed some time ago', notReady, last('create', 'failed', retryable), 20_000, { type: 'create' }],
  [
    'failed through another API',
    notReady,
    last('create', 'failed', { origin: 'rest', ...retryable }),
    1e9,
    { type: 'nothing' },
  ],
  ['there', ready, last('create', 'succeeded'), 0, { type: 'compare', isRetry: false }],
  ['there after a failed change', ready, last('update', 'failed'), 0, { type: 'compare', isRetry: true }],
  ['deleted', { ...ready, isDeleting: true }, last('create', 'succeeded'), 0, { type: 'delete' }],
  [
    'deleted while being created',
    { ...notReady, isDeleting: true },
    last('create', 'in progress'),
    0,
    { type: 'delete' },
  ],
  ['being deleted', { ...ready, isDeleting: true }, last('delete', 'in progress'), 0, { type: 'nothing' }],
  [
    'not deleted just now',
    { ...ready, isDeleting: true },
    last('delete', 'failed'),
    0,
    { type: 'wait', delayMs: 20_000 },
  ],
  ['not deleted some time ago', { ...ready, isDeleting: true }, last('delete', 'failed'), 20_000, { type: 'delete' }],
];

for (const [why, parts, operation, afterMs, expected] of rows) {
  test(`an object that is ${why}: ${expected.type}`, () => {
    const nowMs = Date.parse('2030-01-01T00:00:00Z') + afterMs;
    const facts = { row: row(parts), last: operation, failures: 2, nowMs, settings: defaultBrokerSettings };
    assert.deepEqual(decideAdoption(facts), expected);
  });
}
