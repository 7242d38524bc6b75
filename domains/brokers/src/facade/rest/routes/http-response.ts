import { notFound } from '../../../errors.ts';
import { etagOf } from '../../shared/etag.ts';
import type { SmResponse } from '../resource-handler.ts';
import type { Call, HttpResponse } from '../transport/route.ts';
import { type ErasedHandler, tableOf } from './any-handler.ts';
import type { RestDeps } from './rest-needs.ts';
import { lastOperation, showRow } from './show-row.ts';

/** What a handler answered, as HTTP. */
export async function httpResponseOf(
  handler: ErasedHandler,
  response: SmResponse,
  { call, registry, isCreation }: RestDeps & { readonly call: Call; readonly isCreation: boolean },
): Promise<HttpResponse> {
  switch (response.type) {
    case 'row': {
      const row = tableOf(registry, handler).get(response.id);
      if (row === undefined) throw notFound(handler.noun);
      const operation = lastOperation(handler, row, registry);
      const shown = await showRow(handler, row, { operation, caller: call.caller, isSingle: true });
      const headers = { etag: etagOf(row, operation) };
      return { status: isCreation ? 201 : 200, body: { ...shown, ...response.extra }, headers };
    }
    case 'accepted': {
      const location = `${handler.path}/${encodeURIComponent(response.resourceId)}/operations/${response.operationId}`;
      return { status: 202, body: {}, headers: { location } };
    }
    case 'document':
      return { status: 200, body: response.body };
  }
}
