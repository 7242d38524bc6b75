import { smError } from '../../errors.ts';
import type { OperationRow } from '../rows.ts';
import { isOpen } from './operation-state.ts';

type OperationType = OperationRow['spec']['type'];

/**
 * Throws when the last operation of the resource blocks the next one: while it is in progress
 * (`ConcurrentOperationInProgress`; a deletion may begin during a creation or update), or when it is a failed creation
 * and the next is an update (`UpdateOperationIsNotAllowed`).
 */
export function checkConcurrency(last: OperationRow | undefined, next: OperationType): void {
  if (last === undefined) return;
  if (isOpen(last) && isBlocked(last, next)) {
    throw smError(
      'ConcurrentOperationInProgress',
      `another operation (${last.spec.type}) of this resource is in progress`,
      { isRetryable: true, ids: [last.id] },
    );
  }
  if (next === 'update' && last.spec.type === 'create' && last.status.state === 'failed') {
    throw smError('UpdateOperationIsNotAllowed', 'the creation of this resource has failed: it can only be deleted');
  }
}

function isBlocked(last: OperationRow, next: OperationType): boolean {
  const isBeingRemoved = last.status.deletionScheduledAt !== undefined;
  if (next === 'update') return true;
  if (next === 'create') return last.spec.type !== 'create' || !isBeingRemoved;
  return last.spec.type === 'delete' && !isBeingRemoved;
}
