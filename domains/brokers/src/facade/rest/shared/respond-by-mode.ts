import { isError } from '@chandlery/api';
import { smError } from '../../../errors.ts';
import { isOpen } from '../../../model/operations/operation-state.ts';
import { type OperationRow, type Registry, updateRow } from '../../../model/rows.ts';
import type { SmRequest, SmResponse } from '../resource-handler.ts';
import { operationError } from './operation-error.ts';

/** What was begun, and what is answered when it has succeeded. */
export interface BegunOperation {
  readonly operationId: string;
  readonly resourceId: string;
  readonly done: SmResponse;
}

/**
 * Waits for an operation as long as the caller wants: to the end, not at all, or until the broker has said that it takes
 * time. Throws why the operation failed.
 */
export async function respondByMode(
  registry: Registry,
  request: SmRequest,
  begun: BegunOperation,
): Promise<SmResponse> {
  const { operationId, resourceId, done } = begun;
  if (request.mode === 'async') return { type: 'accepted', operationId, resourceId };
  const isEnough = request.mode === 'sync' ? hasEnded : isEndedOrPolled;
  const operation = await registry.operations.until(operationId, isEnough, request.signal);
  if (operation === undefined) throw smError('NotFound', 'the operation was removed while it was waited for');
  if (!isOpen(operation)) return responseOfEnded(operation, done);
  return (await keepFailedCreate(registry, operation))
    ? { type: 'accepted', operationId, resourceId }
    : respondByMode(registry, request, begun);
}

/** What is answered when everything was done at once. */
export function respondDone(request: SmRequest, { operationId, resourceId, done }: BegunOperation): SmResponse {
  return request.mode === 'async' ? { type: 'accepted', operationId, resourceId } : done;
}

function responseOfEnded(operation: OperationRow, done: SmResponse): SmResponse {
  if (operation.status.state === 'failed') throw operationError(operation);
  return done;
}

const hasEnded = (operation: OperationRow | undefined) => operation === undefined || !isOpen(operation);

const isEndedOrPolled = (operation: OperationRow | undefined) =>
  hasEnded(operation) || operation?.status.reschedule === true;

/**
 * Keeps the resource of a caller that receives a 202, even if its creation fails later. False when the operation has
 * changed meanwhile and must be read again.
 */
async function keepFailedCreate(registry: Registry, row: OperationRow): Promise<boolean> {
  if (row.spec.discardsFailedCreate !== true) return true;
  const { discardsFailedCreate: _, ...spec } = row.spec;
  try {
    await registry.commit([updateRow({ table: 'operations', row, spec })]);
    return true;
  } catch (error) {
    if (isError(error, 'Conflict')) return false;
    throw error;
  }
}
