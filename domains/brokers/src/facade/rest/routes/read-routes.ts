import { notFound, smError } from '../../../errors.ts';
import { operationView } from '../../../model/resources/operations.ts';
import { etagOf, isKnown } from '../../shared/etag.ts';
import { readableRow } from '../access/find-row.ts';
import { mayRead, maySeeSecrets } from '../access/tenants.ts';
import type { Call, HttpResponse } from '../transport/route.ts';
import type { ErasedHandler } from './any-handler.ts';
import { findRows } from './find-rows.ts';
import { nextLink, nextToken, parsePaging } from './paging.ts';
import type { RestDeps } from './rest-needs.ts';
import { lastOperation, showRow } from './show-row.ts';
import { smRequestOf } from './sm-request.ts';

/** `GET /v1/{type}`. */
export async function listResources(handler: ErasedHandler, call: Call, deps: RestDeps): Promise<HttpResponse> {
  const { query, path, caller } = call;
  handler.checkList?.(query);
  const paging = parsePaging(query);
  const page = findRows(handler, call, { ...deps, paging });
  if (paging.limit === 0) return { status: 200, body: { num_items: page.total } };
  const hasOperations = query.get('attach_last_operations') === 'true';
  const items = await Promise.all(
    page.rows.map(row => {
      const operation = hasOperations ? lastOperation(handler, row, deps.registry) : undefined;
      return showRow(handler, row, { operation, caller, isSingle: false });
    }),
  );
  const token = nextToken(page);
  if (token === undefined) return { status: 200, body: { num_items: page.total, items } };
  return {
    status: 200,
    body: { token, num_items: page.total, items },
    headers: { link: nextLink(path, query, token) },
  };
}

/** `GET /v1/{type}/{id}`. */
export async function readResource(handler: ErasedHandler, call: Call, deps: RestDeps): Promise<HttpResponse> {
  const row = readableRow(handler, call, deps);
  const operation = lastOperation(handler, row, deps.registry);
  const etag = etagOf(row, operation);
  if (isKnown(call.headers, etag)) return { status: 304, headers: { etag } };
  const body = await showRow(handler, row, { operation, caller: call.caller, isSingle: true });
  return { status: 200, body, headers: { etag } };
}

/** `GET /v1/{type}/{id}/operations/{operationId}`: also for a resource that was deleted or never created. */
export async function readOperationOf(
  handler: ErasedHandler,
  { params, caller }: Call,
  { registry }: RestDeps,
): Promise<HttpResponse> {
  const operation = registry.operations.get(params['operationId'] ?? '');
  const isOfResource = operation?.spec.resourceId === params['id'] && operation?.spec.resourceType === handler.path;
  if (
    operation === undefined ||
    !isOfResource ||
    !mayRead(caller, { table: 'operations', plural: handler.plural }, operation.tenant)
  )
    throw notFound('operation');
  return { status: 200, body: operationView(operation) };
}

/** `GET /v1/{type}/{id}/parameters`: they may hold secrets, which those who only look do not see. */
export async function readParameters(handler: ErasedHandler, call: Call, deps: RestDeps): Promise<HttpResponse> {
  const row = readableRow(handler, call, deps);
  if (!maySeeSecrets(call.caller, { plural: handler.plural, tenant: row.tenant }))
    throw smError('Forbidden', `${call.caller.username} may not read the parameters of this ${handler.noun}`);
  const request = smRequestOf(handler, call, row.tenant);
  if (request.mode === 'async')
    throw smError('InvalidRequest', "requested api doesn't support asynchronous operations", { field: 'async' });
  if (handler.parameters === undefined) throw notFound(handler.noun);
  return { status: 200, body: await handler.parameters(row, request) };
}
