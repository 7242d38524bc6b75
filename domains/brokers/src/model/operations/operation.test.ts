import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operationView } from '../resources/operations.ts';
import type { OperationRow } from '../rows.ts';
import { newOperation } from './new-operation.ts';

const registry = { newId: () => 'new-id' };
const subject = { registry, type: 'delete', resourceType: '/v1/platforms', resourceId: 'p', tenant: 't' } as const;

test('an operation is ready, of the own platform and forced by a label', () => {
  const { id, write } = newOperation({ ...subject, state: 'pending', isForced: true, correlationId: undefined });
  assert.deepEqual(
    [id, write],
    [
      'new-id',
      {
        type: 'create',
        table: 'operations',
        id: 'new-id',
        tenant: 't',
        spec: {
          type: 'delete',
          resourceType: '/v1/platforms',
          resourceId: 'p',
          platformId: 'service-manager',
          isForced: true,
          labels: { force: ['true'] },
        },
        status: { ready: true, state: 'pending' },
      },
    ],
  );
});

const row = (status: OperationRow['status']): OperationRow => ({
  id: 'o',
  tenant: 't',
  uid: 'u',
  revision: 1,
  generation: 1,
  createdAt: '2024-01-01T00:00:00.000000Z',
  updatedAt: '2024-01-01T00:00:01.000000Z',
  isDeleting: false,
  hasFinalizer: false,
  spec: { type: 'create', resourceType: '/v1/platforms', resourceId: 'p', platformId: 'k8s' },
  status,
});

test('times that are not there are shown as the zero of clients, and errors only when there are some', () => {
  const shown = operationView(row({ state: 'in progress', user: { username: 'jane' }, externalId: 'secret-task' }));
  assert.equal(shown['state'], 'in progress');
  assert.deepEqual([shown['reschedule_timestamp'], shown['deletion_scheduled']], Array(2).fill('0001-01-01T00:00:00Z'));
  assert.ok(!('errors' in shown) && !('labels' in shown) && !('description' in shown));
  assert.ok(!/jane|secret-task/.test(JSON.stringify(shown)));
  const errors = { error: 'BrokerError', description: 'no' };
  assert.deepEqual(operationView(row({ state: 'failed', errors }))['errors'], errors);
});
