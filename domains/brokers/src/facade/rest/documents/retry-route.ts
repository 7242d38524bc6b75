import { notFound, smError } from '../../../errors.ts';
import type { OperationRow, Registry } from '../../../model/rows.ts';
import { mayChange, mayRead } from '../access/tenants.ts';
import type { SmRequest, SmResponse } from '../resource-handler.ts';
import type { Call, HttpResponse, Route } from '../transport/route.ts';

/** Retries a failed operation. */
export type RetryOperation = (operation: OperationRow, request: SmRequest) => Promise<SmResponse>;

/** `POST /v1/operations/{id}/retry`. */
export const retryRoute = (registry: Registry, retry: RetryOperation): Route => ({
  method: 'POST',
  path: '/v1/operations/:id/retry',
  who: 'people',
  document: { tag: 'operations', summary: 'Restarts a failed operation', responses: { 202: '' } },
  respond: call => respondRetry(call, registry, retry),
});

async function respondRetry(call: Call, registry: Registry, retry: RetryOperation): Promise<HttpResponse> {
  const operation = registry.operations.get(call.params['id'] ?? '');
  const kind = { table: 'operations', plural: 'operations' } as const;
  if (operation === undefined || !mayRead(call.caller, kind, operation.tenant)) throw notFound('operation');
  if (!mayChange(call.caller, 'update', { plural: kind.plural, tenant: operation.tenant }))
    throw smError('Forbidden', `${call.caller.username} may not retry this operation`);
  const { caller, correlationId, query, body, signal, requestHash } = call;
  const request = {
    caller,
    correlationId,
    query,
    body,
    signal,
    requestHash,
    tenant: operation.tenant,
    mode: 'async',
  } as const;
  const respond = await retry(operation, request);
  const id = respond.type === 'accepted' ? respond.operationId : operation.id;
  const { resourceType, resourceId } = operation.spec;
  const location = `${resourceType}/${encodeURIComponent(resourceId)}/operations/${id}`;
  return { status: 202, body: {}, headers: { location } };
}
