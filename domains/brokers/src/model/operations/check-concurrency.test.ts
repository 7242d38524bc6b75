import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isError } from '@chandlery/api';
import type { OperationRow } from '../rows.ts';
import { checkConcurrency } from './check-concurrency.ts';

type Type = OperationRow['spec']['type'];

const operation = (type: Type, status: OperationRow['status']): OperationRow =>
  ({ id: 'last', spec: { type, resourceType: '', resourceId: 'r', platformId: 'p' }, status }) as OperationRow;

const open = (type: Type, isScheduled = false) =>
  operation(type, { state: 'in progress', ...(isScheduled && { deletionScheduledAt: '2026-01-01T00:00:00Z' }) });

const busy = 'ConcurrentOperationInProgress';

const table: readonly { last: OperationRow | undefined; next: Type; code?: string; why: string }[] = [
  { last: undefined, next: 'update', why: 'nothing happened before' },
  { last: open('create'), next: 'create', code: busy, why: 'a creation runs' },
  { last: open('create', true), next: 'create', why: 'the running creation is being undone' },
  { last: open('create'), next: 'update', code: busy, why: 'a creation runs' },
  { last: open('create'), next: 'delete', why: 'a deletion may overtake a creation' },
  { last: open('update'), next: 'create', code: busy, why: 'an update runs' },
  { last: open('update'), next: 'update', code: busy, why: 'an update runs' },
  { last: open('update'), next: 'delete', why: 'a deletion may overtake an update' },
  { last: open('delete'), next: 'create', code: busy, why: 'a deletion runs' },
  { last: open('delete'), next: 'update', code: busy, why: 'a deletion runs' },
  { last: open('delete'), next: 'delete', code: busy, why: 'a deletion runs' },
  { last: open('delete', true), next: 'delete', why: 'the deletion is being repeated in the background' },
  { last: operation('delete', { state: 'pending' }), next: 'update', code: busy, why: 'a cascade will delete it' },
  { last: operation('delete', { state: 'pending' }), next: 'delete', code: busy, why: 'a cascade will delete it' },
  {
    last: operation('create', { state: 'failed' }),
    next: 'update',
    code: 'UpdateOperationIsNotAllowed',
    why: 'what was not created cannot be changed',
  },
  { last: operation('create', { state: 'failed' }), next: 'delete', why: 'what is left can be removed' },
  { last: operation('update', { state: 'failed' }), next: 'update', why: 'the next update may work' },
  { last: operation('delete', { state: 'failed' }), next: 'update', why: 'it is still there' },
  { last: operation('create', { state: 'succeeded' }), next: 'update', why: 'all is well' },
];

describe('the concurrency check', () => {
  for (const { last, next, code, why } of table) {
    test(`${last?.status.state ?? 'no'} ${last?.spec.type ?? 'operation'}, then ${next}: ${code ?? 'allowed'} (${why})`, () => {
      const check = () => checkConcurrency(last, next);
      if (code === undefined) check();
      else assert.throws(check, error => isError(error, code));
    });
  }
});
