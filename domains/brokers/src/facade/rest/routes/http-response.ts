import { notFound } from '../../../errors.ts';
import { etagOf } from '../../shared/etag.ts';
import type { SmAnswer } from '../resource-handler.ts';
import type { Call, HttpAnswer } from '../transport/route.ts';
import { type ErasedHandler, tableOf } from './any-handler.ts';
import type { RestNeeds } from './rest-needs.ts';
import { lastOperation, showRow } from './show-row.ts';

/** What a handler answered, as HTTP. */
export async function httpAnswerOf(
  handler: ErasedHandler,
  answer: SmAnswer,
  { call, registry, isCreation }: RestNeeds & { readonly call: Call; readonly isCreation: boolean },
): Promise<HttpAnswer> {
  switch (answer.type) {
    case 'row': {
      const row = tableOf(registry, handler).get(answer.id);
      if (row === undefined) throw notFound(handler.noun);
      const operation = lastOperation(handler, row, registry);
      const shown = await showRow(handler, row, { operation, caller: call.caller, isSingle: true });
      const headers = { etag: etagOf(row, operation) };
      return { status: isCreation ? 201 : 200, body: { ...shown, ...answer.extra }, headers };
    }
    case 'accepted': {
      const location = `${handler.path}/${encodeURIComponent(answer.resourceId)}/operations/${answer.operationId}`;
      return { status: 202, body: {}, headers: { location } };
    }
    case 'document':
      return { status: 200, body: answer.body };
  }
}
