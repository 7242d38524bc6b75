import { smError } from '../../../errors.ts';
import type { OperationRow, Registry } from '../../../model/rows.ts';
import type { SmRequest, SmResponse } from '../resource-handler.ts';
import { operationError } from '../shared/operation-error.ts';
import { type ErasedHandler, tableOf } from './any-handler.ts';

/**
 * The answer to a creation that was asked for before with the same key; undefined when it is new. Throws
 * `IdempotencyKeyReused` when something else was asked for then.
 *
 * Credentials that are shown once are not shown again.
 */
export async function repeatedResponse(
  handler: ErasedHandler,
  request: SmRequest,
  registry: Registry,
): Promise<SmResponse | undefined> {
  const known = earlierOperation(request, registry);
  if (known === undefined) return undefined;
  if (known.spec.requestHash !== request.requestHash || known.spec.resourceType !== handler.path)
    throw smError('IdempotencyKeyReused', 'the Idempotency-Key was used for another request', {
      field: 'Idempotency-Key',
    });
  const accepted: SmResponse = { type: 'accepted', operationId: known.id, resourceId: known.spec.resourceId };
  if (request.mode === 'async') return accepted;
  const ended = request.mode === 'sync' ? await untilEnded(known, request, registry) : known;
  return isEnded(ended) ? endedResponse(handler, ended, registry) : accepted;
}

function earlierOperation({ idempotencyKey }: SmRequest, registry: Registry): OperationRow | undefined {
  if (idempotencyKey === undefined) return undefined;
  const [operation] = registry.operations.by('idempotencyKey', idempotencyKey);
  return operation;
}

async function untilEnded(known: OperationRow, { signal }: SmRequest, registry: Registry): Promise<OperationRow> {
  const ended = await registry.operations.until(known.id, row => row === undefined || isEnded(row), signal);
  return ended ?? known;
}

const isEnded = ({ status }: OperationRow): boolean => status.state === 'succeeded' || status.state === 'failed';

function endedResponse(handler: ErasedHandler, operation: OperationRow, registry: Registry): SmResponse {
  if (operation.status.state === 'failed') throw operationError(operation);
  const id = operation.spec.resourceId;
  if (tableOf(registry, handler).get(id) === undefined)
    throw smError('Gone', `the ${handler.noun} that was created by this Idempotency-Key has been deleted`, {
      ids: [id],
    });
  return { type: 'row', id };
}
