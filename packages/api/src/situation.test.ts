import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
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
  [
    'a schema lets other things be conditions',
    { conditions: [null, 'Ready', { type: 'Ready', status: 'True' }] },
    { state: 'ready' },
  ],
  ['a schema lets a status be a text', 'open' as unknown as object, { state: 'exists' }],
];

for (const [why, status, situation] of cases)
  test(why, () =>
    assert.deepEqual(situationOf({ apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a' }, status }), situation),
  );

test('a kind of the name Pod in another group is read as any kind', () => {
  const object = { apiVersion: 'example.org/v1', kind: 'Pod', metadata: {}, status: { containerStatuses: 'many' } };
  assert.deepEqual(situationOf(object), { state: 'exists' });
});

test('whatever a status holds, an object has a state', () => {
  const odd = fc.jsonValue({ maxDepth: 3 });
  const status = fc.oneof(
    odd,
    fc.record({
      conditions: fc.oneof(odd, fc.array(odd)),
      containerStatuses: fc.oneof(odd, fc.array(odd)),
      phase: odd,
    }),
    fc.record({
      conditions: fc.array(
        fc.record({ type: fc.constantFrom('Ready', 'Failed'), status: odd, reason: odd, message: odd }),
      ),
      containerStatuses: fc.array(
        fc.record({ state: fc.oneof(odd, fc.record({ terminated: odd, waiting: odd })), lastState: odd }),
      ),
    }),
  );
  const deletionTimestamp = fc.constantFrom(undefined, '2026-01-01T00:00:00Z');
  fc.assert(
    fc.property(fc.constantFrom('Pod', 'Boat'), status, deletionTimestamp, (kind, found, deleted) => {
      const metadata = { name: 'a', ...(deleted && { deletionTimestamp: deleted }) };
      const object = { apiVersion: 'v1', kind, metadata, status: found } as unknown as Parameters<
        typeof situationOf
      >[0];
      assert.ok(situationOf(object).state);
    }),
  );
});
