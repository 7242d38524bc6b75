import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { syncProblem } from './sync-problem.ts';

const objectWith = (ready: string, synced: string): KubeObject => ({
  apiVersion: 'example.org/v1',
  kind: 'Boat',
  metadata: { name: 'marie' },
  status: {
    conditions: [
      { type: 'Ready', status: ready },
      { type: 'Synced', status: synced, reason: 'UpdateFailed', message: 'No such sail' },
    ],
  },
});

test('an object that is ready may still not be what was asked for last', () => {
  assert.deepEqual(syncProblem(objectWith('True', 'False')), { reason: 'UpdateFailed', message: 'No such sail' });
  assert.equal(syncProblem(objectWith('True', 'True')), undefined);
  assert.equal(syncProblem(objectWith('False', 'False')), undefined, 'its state says it');
});
