import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Situation, situationOf } from './situation.ts';

const cases: readonly (readonly [why: string, status: object, situation: Situation])[] = [
  ['nothing is said', {}, { state: 'exists' }],
  ['a namespace is there', { phase: 'Active' }, { state: 'ready' }],
  ['what is meant to run, runs', { phase: 'Running' }, { state: 'ready' }],
  [
    'what has a start runs towards its end',
    { phase: 'Running', startedAt: '2026-01-01T00:00:00Z' },
    { state: 'waiting', reason: 'Running' },
  ],
  ['a rollout was aborted on request', { phase: 'Aborted' }, { state: 'exists', reason: 'Aborted' }],
  ['a workflow has succeeded', { phase: 'Succeeded', startedAt: '2026-01-01T00:00:00Z' }, { state: 'ready' }],
  [
    'a workflow has ended as an error, and says why',
    { phase: 'Error', message: 'no such image' },
    { state: 'failed', reason: 'Error', message: 'no such image' },
  ],
  ['an order is executed', { status: 'executing' }, { state: 'waiting', reason: 'executing' }],
  ['an order has succeeded', { status: 'succeeded' }, { state: 'ready' }],
  [
    'an order has failed',
    { status: 'failed', errorMessage: 'exit code 3' },
    { state: 'failed', reason: 'failed', message: 'exit code 3' },
  ],
  ['an order was cancelled', { status: 'cancelled' }, { state: 'exists', reason: 'cancelled' }],
  ['an instance that a platform has ordered is ready', { ready: true }, { state: 'ready' }],
  ['one that is not may be on its way, or have failed', { ready: false }, { state: 'exists' }],
  ['another word is no state', { status: 'open' }, { state: 'exists' }],
];

for (const [why, status, situation] of cases)
  test(why, () =>
    assert.deepEqual(situationOf({ apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a' }, status }), situation),
  );
