import assert from 'node:assert/strict';
import { test } from 'node:test';
import { smError } from '../../errors.ts';
import { defaultBrokerSettings } from '../../settings.ts';
import type { OsbOutcome } from '../outcomes/osb-outcome.ts';
import type { OperationRow } from '../rows.ts';
import { decideNextStep, type NextStep, type OutcomeFacts } from './next-step.ts';

const nowMs = Date.parse('2030-01-01T01:00:00Z');

const operation = (spec: object = {}, status: object = {}): OperationRow =>
  ({
    id: 'o',
    createdAt: '2030-01-01T00:59:00.000000Z',
    spec: {
      type: 'create',
      resourceType: '/v1/service_instances',
      resourceId: 'i',
      platformId: 'service-manager',
      ...spec,
    },
    status: { state: 'in progress', ...status },
  }) as unknown as OperationRow;

const failed = (
  facts: object = {},
  mitigate = false,
  code: 'BrokerError' | 'ServiceUnavailable' = 'BrokerError',
): OsbOutcome => ({
  type: 'failed',
  error: smError(code, 'no', facts),
  mitigate,
});

const busy = failed({ isRetryable: true, retryAfterSeconds: 7 }, false, 'ServiceUnavailable');

interface Expectation {
  readonly type: NextStep['type'];
  readonly mitigates?: boolean;
  readonly discardsRow?: boolean;
  readonly delayMs?: number;
  readonly isAsked?: boolean;
}

const rows: readonly [why: string, facts: Partial<OutcomeFacts>, expected: Expectation][] = [
  ['a success', { outcome: { type: 'succeeded', body: {} } }, { type: 'succeed' }],
  ['202', { outcome: { type: 'accepted', body: {} } }, { type: 'poll', delayMs: 4000, isAsked: false }],
  [
    '202 with a longer Retry-After',
    { outcome: { type: 'accepted', body: {}, retryAfterSeconds: 60 } },
    { type: 'poll', delayMs: 60_000, isAsked: true },
  ],
  [
    '202 with a shorter Retry-After',
    { outcome: { type: 'accepted', body: {}, retryAfterSeconds: 1 } },
    { type: 'poll', delayMs: 4000, isAsked: false },
  ],
  ['an inconclusive poll', { outcome: { type: 'in progress' } }, { type: 'wait', delayMs: 4000, isAsked: false }],
  [
    'an inconclusive poll with a longer Retry-After',
    { outcome: { type: 'in progress', retryAfterSeconds: 30 } },
    { type: 'wait', delayMs: 30_000, isAsked: true },
  ],
  [
    'a poll shortly before the end of the time: the last one falls on the end',
    {
      operation: operation({}, { rescheduleAt: '2030-01-01T00:59:59Z' }),
      plan: { spec: { maximumPollingDuration: 2 } } as never,
      outcome: { type: 'in progress' },
    },
    { type: 'wait', delayMs: 1000 },
  ],
  [
    'a poll after the time of the plan',
    {
      operation: operation({}, { rescheduleAt: '2030-01-01T00:59:00Z' }),
      plan: { spec: { maximumPollingDuration: 2 } } as never,
      outcome: { type: 'in progress' },
    },
    { type: 'fail', mitigates: true, discardsRow: false },
  ],
  [
    'a poll of an update after its time',
    {
      operation: operation({ type: 'update' }, { rescheduleAt: '2000-01-01T00:00:00Z' }),
      outcome: { type: 'in progress' },
    },
    { type: 'fail', mitigates: false },
  ],
  [
    'a refused creation',
    { outcome: failed({ brokerStatus: 400 }) },
    { type: 'fail', mitigates: false, discardsRow: false },
  ],
  [
    'a refused creation whose caller waits',
    { operation: operation({ discardsFailedCreate: true }), outcome: failed({ brokerStatus: 400 }) },
    { type: 'fail', mitigates: false, discardsRow: true },
  ],
  [
    'an unclear creation whose caller waits',
    { operation: operation({ discardsFailedCreate: true }), outcome: failed({ brokerStatus: 500 }, true) },
    { type: 'fail', mitigates: true, discardsRow: false },
  ],
  [
    'a refusal after another engine may have asked',
    { isInherited: true, outcome: failed({ brokerStatus: 409 }) },
    { type: 'fail', mitigates: true },
  ],
  [
    'an unclear creation that is being deleted anyway',
    { isSuperseded: true, outcome: failed({}, true) },
    { type: 'fail', mitigates: false, discardsRow: false },
  ],
  ['a busy broker', { outcome: busy }, { type: 'repeat', delayMs: 7000 }],
  [
    'a busy broker while a caller waits',
    { operation: operation({ discardsFailedCreate: true }), outcome: busy },
    { type: 'fail', mitigates: false, discardsRow: true },
  ],
  [
    'a busy broker for a deletion',
    { operation: operation({ type: 'delete' }), outcome: busy },
    { type: 'repeat', delayMs: 7000 },
  ],
  [
    'another operation going on at the broker',
    { outcome: { type: 'retry', error: smError('ConcurrencyError', 'wait') } },
    { type: 'repeat', delayMs: 4000 },
  ],
  [
    'another operation going on for ever, against force',
    {
      operation: operation({ type: 'delete', isForced: true }, { attempts: 3 }),
      outcome: { type: 'retry', error: smError('ConcurrencyError', 'wait') },
    },
    { type: 'abandon' },
  ],
  [
    'a refused deletion',
    { operation: operation({ type: 'delete' }), outcome: failed({ brokerStatus: 422 }) },
    { type: 'fail', mitigates: false },
  ],
  [
    'a deletion that did not arrive',
    { operation: operation({ type: 'delete' }), outcome: failed({ brokerStatus: 408 }) },
    { type: 'fail', mitigates: true },
  ],
  [
    'a deletion without an answer',
    { operation: operation({ type: 'delete' }), outcome: failed({ isRetryable: true }) },
    { type: 'fail', mitigates: true },
  ],
  [
    'a deletion that cannot be asked for',
    { operation: operation({ type: 'delete' }), outcome: failed() },
    { type: 'fail', mitigates: false },
  ],
  [
    'a refused deletion that is forced',
    { operation: operation({ type: 'delete', isForced: true }), outcome: failed({ brokerStatus: 400 }) },
    { type: 'abandon' },
  ],
];

for (const [why, facts, expected] of rows) {
  test(`${why}: ${expected.type}`, () => {
    const step = decideNextStep({
      operation: operation(),
      outcome: failed(),
      plan: undefined,
      isInherited: false,
      isSuperseded: false,
      nowMs,
      settings: defaultBrokerSettings,
      ...facts,
    });
    assert.partialDeepStrictEqual(step, expected);
  });
}
