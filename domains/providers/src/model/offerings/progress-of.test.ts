import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Condition, KubeObject } from '@chandlery/api';
import { progressOf } from './progress-of.ts';

const boat = (status: object, metadata: object = {}): KubeObject => ({
  apiVersion: 'boats.example.org/v1',
  kind: 'Boat',
  metadata: { name: 'a', generation: 2, ...metadata },
  status,
});
const says = (type: string, status: Condition['status'], more: Partial<Condition> = {}): Condition => ({
  type,
  status,
  observedGeneration: 2,
  ...more,
});

describe('How far an instance is', () => {
  const table = [
    { why: 'there is none', object: undefined, state: 'gone' },
    { why: 'it was not reconciled yet', object: boat({}), state: 'in progress' },
    {
      why: 'it is ready',
      object: boat({ observedGeneration: 2, conditions: [says('Ready', 'True')] }),
      state: 'succeeded',
    },
    {
      why: 'it was ready for an earlier generation',
      object: boat({ observedGeneration: 1, conditions: [says('Ready', 'True', { observedGeneration: 1 })] }),
      state: 'in progress',
    },
    {
      why: 'the status is new and the condition is not',
      object: boat({ observedGeneration: 2, conditions: [says('Ready', 'True', { observedGeneration: 1 })] }),
      state: 'in progress',
    },
    {
      why: 'it failed for an earlier generation',
      object: boat({ observedGeneration: 1, conditions: [says('Ready', 'False', { reason: 'UserError' })] }),
      state: 'in progress',
    },
    {
      why: 'the provider states no generations',
      object: boat({ conditions: [{ type: 'Ready', status: 'True' }] }),
      state: 'succeeded',
    },
    {
      why: 'a terminal error',
      object: boat({
        observedGeneration: 2,
        conditions: [says('Ready', 'False'), says('Synced', 'False', { reason: 'TerminalError' })],
      }),
      state: 'failed',
    },
    { why: 'a phase says so', object: boat({ observedGeneration: 2, phase: 'Failed' }), state: 'failed' },
    {
      why: 'an error that may pass',
      object: boat({ observedGeneration: 2, conditions: [says('Ready', 'False', { reason: 'ReconcileError' })] }),
      state: 'in progress',
    },
    {
      why: 'it is being deleted although it is ready',
      object: boat({ conditions: [says('Ready', 'True')] }, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      state: 'in progress',
    },
  ];
  for (const { why, object, state } of table)
    it(`${why}: ${state}`, () => assert.equal(progressOf(object).state, state));

  it('reports what blocks its deletion', () => {
    const conditions = [
      says('Ready', 'False', { message: 'It is going.' }),
      says('DeletionBlocked', 'True', { message: 'Delete the Bars first.' }),
    ];
    const { description } = progressOf(boat({ conditions }, { deletionTimestamp: '2026-01-01T00:00:00Z' }));
    assert.equal(description, 'Delete the Bars first.');
  });
});
