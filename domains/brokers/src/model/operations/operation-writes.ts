import type { StatedCondition } from '@chandlery/runtime';
import { type SmError, smError } from '../../errors.ts';
import type { BindingRow, InstanceRow, OperationRow, Registry, RegistryWrite } from '../rows.ts';
import { updateRow } from '../rows.ts';
import { endOperation, errorDocument, failOperation, failureOf, parametersRemoval } from './operation-end.ts';
import { isOpen, isUnderMitigation } from './operation-state.ts';
import { notReady, notSynced } from './row-conditions.ts';

/** What a broker said when it began to work on something. */
interface Acceptance {
  /** What it calls that. */
  readonly externalId: string | undefined;
  readonly now: Date;
  /** Default: polled as usual. */
  readonly nextPollAt?: Date;
}

/** The broker works on it: what it calls that, and since when. The first 202 counts, also for a repeated request. */
export const acceptOperation = (
  operation: OperationRow,
  { externalId, now, nextPollAt }: Acceptance,
): RegistryWrite => {
  const { externalId: _before, nextAttemptAt: _nextAttemptAt, attempts: _attempts, ...status } = operation.status;
  const { rescheduleAt = now.toISOString() } = status;
  return updateRow({
    table: 'operations',
    row: operation,
    status: {
      ...status,
      ...(isUnderMitigation(operation) ? {} : { state: 'in progress' as const }),
      reschedule: true,
      rescheduleAt,
      ...(externalId === undefined ? {} : { externalId }),
      ...(nextPollAt === undefined ? {} : { nextAttemptAt: nextPollAt.toISOString() }),
    },
  });
};

/** What a poll without an end changes: how far the broker says it is, and when it wants to be asked again. */
export function recordPoll(
  operation: OperationRow,
  {
    description = operation.status.description,
    nextPollAt,
  }: { readonly description?: string; readonly nextPollAt?: Date },
): RegistryWrite[] {
  if (description === operation.status.description && nextPollAt === undefined) return [];
  const status = {
    ...operation.status,
    ...(description === undefined ? {} : { description }),
    ...(nextPollAt === undefined ? {} : { nextAttemptAt: nextPollAt.toISOString() }),
  };
  return [updateRow({ table: 'operations', row: operation, status })];
}

/** Another attempt is due later. */
export const countAttempt = (operation: OperationRow, nextAttemptAt: Date): RegistryWrite =>
  updateRow({ table: 'operations', row: operation, status: countedStatus(operation.status, nextAttemptAt) });

const countedStatus = (status: OperationRow['status'], nextAttemptAt: Date): OperationRow['status'] => ({
  ...status,
  attempts: (status.attempts ?? 0) + 1,
  nextAttemptAt: nextAttemptAt.toISOString(),
});

/** It has failed, and the broker will be asked to delete whatever there may be, from now on, without an originating identity. */
export const beginMitigation = (operation: OperationRow, error: SmError, now: Date): RegistryWrite[] =>
  endOperation(operation, { ...failureOf(operation, error), deletionScheduledAt: now.toISOString() });

/** Schedules another attempt after a failed one. */
export function continueMitigation(operation: OperationRow, nextAttemptAt: Date): RegistryWrite {
  const { externalId: _externalId, reschedule: _reschedule, rescheduleAt: _rescheduleAt, ...status } = operation.status;
  return updateRow({ table: 'operations', row: operation, status: countedStatus(status, nextAttemptAt) });
}

/** Ends mitigation without success. The first error stays; the description says what to do. */
export function giveUpMitigation(operation: OperationRow, lastError: SmError): RegistryWrite[] {
  const description = `ManualActionRequired: the broker could not be made to delete it (${lastError.message}). Delete it there, then here with force.`;
  return endOperation(operation, { state: 'failed', description });
}

/** Ends the other operations of a deleted resource. */
export function endOthers(registry: Pick<Registry, 'operations'>, operation: OperationRow): RegistryWrite[] {
  const writes: RegistryWrite[] = [];
  for (const other of registry.operations.by('resourceId', operation.spec.resourceId)) {
    const isSame = other.id === operation.id || other.spec.resourceType !== operation.spec.resourceType;
    if (isSame || other.spec.type === 'delete') continue;
    if (isOpen(other)) writes.push(...failOperation(other, smError('Gone', 'it was deleted before this had ended')));
    else if (isUnderMitigation(other)) writes.push(...endOperation(other, {}));
    else if (other.status.state === 'failed') writes.push(...parametersRemoval(other));
  }
  return writes;
}

/** What a failure says about the resource itself. */
export function failureConditions(operation: OperationRow, error: SmError): StatedCondition[] {
  const { description } = errorDocument(error) as { description: string };
  switch (operation.spec.type) {
    case 'create':
      return [notReady('CreationFailed', description), notSynced('CreationFailed', description)];
    case 'update':
      return [notSynced('UpdateFailed', description)];
    case 'delete':
      return [notSynced('DeletionFailed', description)];
  }
}

/** The Secret of a binding goes with it. */
export function secretRemovals(row: InstanceRow | BindingRow): RegistryWrite[] {
  const { credentialsSecret } = row.status as BindingRow['status'];
  if (credentialsSecret === undefined) return [];
  return [{ type: 'remove-secret', tenant: row.tenant, name: credentialsSecret }];
}
