import { smError } from '../../../errors.ts';
import type { AsyncMode, SmRequest } from '../resource-handler.ts';
import type { Call } from '../transport/route.ts';
import type { ErasedHandler } from './any-handler.ts';

const maxKeyLength = 255;
const fixedFields: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at']);

/** The request as handlers get it. Throws for what the kind of resource does not understand. */
export function smRequestOf(handler: ErasedHandler, call: Call, tenant: string): SmRequest {
  const { caller, correlationId, query, body, signal, requestHash } = call;
  const key = idempotencyKeyOf(call, tenant);
  return {
    caller,
    tenant,
    mode: asyncMode(handler, query),
    correlationId,
    query,
    body: call.method === 'PATCH' ? withoutFixedFields(body) : body,
    signal,
    requestHash,
    ...(key === undefined ? {} : { idempotencyKey: key }),
  };
}

/** How the caller wants to wait. Throws `InvalidRequest` where there is nothing to wait for. */
function asyncMode({ isAsync }: ErasedHandler, query: URLSearchParams): AsyncMode {
  const asked = query.get('async');
  if (asked === null) return 'undefined';
  if (asked === 'false') return 'sync';
  if (!isAsync)
    throw smError('InvalidRequest', "requested api doesn't support asynchronous operations", { field: 'async' });
  return 'async';
}

function withoutFixedFields(body: SmRequest['body']): SmRequest['body'] {
  return Object.fromEntries(Object.entries(body).filter(([field]) => !fixedFields.has(field)));
}

function idempotencyKeyOf({ method, headers, caller }: Call, tenant: string): string | undefined {
  const key = headers['idempotency-key'];
  if (method !== 'POST' || typeof key !== 'string' || key === '') return undefined;
  if (key.length > maxKeyLength)
    throw smError('BadRequest', `an Idempotency-Key has at most ${maxKeyLength} characters`, {
      field: 'Idempotency-Key',
    });
  return JSON.stringify([tenant, `${caller.type}:${caller.username}`, key]);
}
