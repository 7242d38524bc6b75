import type { JsonObject } from '@chandlery/api';
import type { SmError } from '../../errors.ts';
import { type OperationRow, type RegistryWrite, updateRow } from '../rows.ts';

type OperationStatus = OperationRow['status'];

/** What an update changes, in the words of the spec; of a creation only the parameters are here. */
export interface OperationChange {
  readonly planId?: string;
  readonly name?: string;
  readonly maintenanceInfo?: JsonObject;
  /** A Secret of the operation's own, removed when it ends. */
  readonly parametersSecret?: string;
  readonly labels?: Record<string, string[]>;
  readonly platformId?: string;
}

/** The change that an operation asks for; empty for most. */
export const changeOf = ({ spec }: OperationRow): OperationChange => spec.change ?? {};

/** A status without what matters only while an operation runs: the user, the progress, the broker's name for it, the attempts. */
function endedStatus(status: OperationStatus): OperationStatus {
  const {
    user: _user,
    description: _description,
    externalId: _externalId,
    reschedule: _reschedule,
    rescheduleAt: _rescheduleAt,
    attempts: _attempts,
    nextAttemptAt: _nextAttemptAt,
    deletionScheduledAt: _deletionScheduledAt,
    ...kept
  } = status;
  return kept;
}

/** The end of an operation, with the end of the Secret that it brought. */
export const endOperation = (operation: OperationRow, end: Partial<OperationStatus>): RegistryWrite[] => [
  endedOperation(operation, end),
  ...parametersRemoval(operation),
];

/** A good end. What an earlier attempt had complained of is forgotten. */
export function succeedOperation(operation: OperationRow, more: Partial<OperationStatus> = {}): RegistryWrite[] {
  const { errors: _errors, httpStatus: _httpStatus, retryable: _retryable, ...status } = operation.status;
  const end = { ...endedStatus(status), ...more, state: 'succeeded' as const };
  return [updateRow({ table: 'operations', row: operation, status: end }), ...parametersRemoval(operation)];
}

/**
 * Ends an operation as failed. The first error is the root cause and stays. `isKept`: the resource stays, and with it
 * the parameters for a retry. A failed creation can always be retried, because the same request would conflict with its
 * name; a failed update only if it may succeed later, since the client can send it again.
 */
export function failOperation(operation: OperationRow, error: SmError, { isKept = false } = {}): RegistryWrite[] {
  const end = endedOperation(operation, failureOf(operation, error));
  const canBeRetried = isKept && (error.facts.isRetryable === true || operation.spec.type === 'create');
  return canBeRetried ? [end] : [end, ...parametersRemoval(operation)];
}

/** The end of the Secret with parameters that an operation brought, if it brought one. */
export function parametersRemoval(operation: OperationRow): RegistryWrite[] {
  const { parametersSecret: name } = changeOf(operation);
  return name === undefined ? [] : [{ type: 'remove-secret', tenant: operation.tenant, name }];
}

const endedOperation = (operation: OperationRow, end: Partial<OperationStatus>): RegistryWrite =>
  updateRow({ table: 'operations', row: operation, status: { ...endedStatus(operation.status), ...end } });

/** The status fields of a failure. */
export function failureOf({ status }: OperationRow, error: SmError): Partial<OperationStatus> {
  if (status.errors !== undefined) return { state: 'failed' };
  return {
    state: 'failed',
    errors: errorDocument(error),
    httpStatus: error.status,
    retryable: error.facts.isRetryable ?? false,
  };
}

/** An error as operations keep it: the word, the sentence, and what else the caller may know. */
export function errorDocument({ code, message, facts }: SmError): JsonObject {
  const document: JsonObject = {
    error: code,
    description: message,
    field: facts.field,
    broker: facts.broker,
    broker_status: facts.brokerStatus,
    broker_error: facts.brokerError,
    ids: facts.ids === undefined ? undefined : [...facts.ids],
    instance_usable: facts.instanceUsable,
    update_repeatable: facts.updateRepeatable,
  };
  return Object.fromEntries(Object.entries(document).filter(([, value]) => value !== undefined));
}
