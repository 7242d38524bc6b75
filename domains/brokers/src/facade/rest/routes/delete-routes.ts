import { notFound, smError } from '../../../errors.ts';
import { checkIfMatch } from '../../shared/etag.ts';
import { retryConflicts } from '../../shared/retry-conflicts.ts';
import { changeableRow } from '../access/find-row.ts';
import { mayChange } from '../access/tenants.ts';
import type { SmResponse } from '../resource-handler.ts';
import type { Call, HttpResponse } from '../transport/route.ts';
import { type AnyRow, type ErasedHandler, tableOf } from './any-handler.ts';
import { filterCount, findRows } from './find-rows.ts';
import { httpResponseOf } from './http-response.ts';
import type { RestDeps } from './rest-needs.ts';
import { smRequestOf } from './sm-request.ts';

interface Manner {
  readonly isCascade: boolean;
  readonly isForced: boolean;
}

/** `DELETE /v1/{type}/{id}`. */
export async function deleteResource(handler: ErasedHandler, call: Call, deps: RestDeps): Promise<HttpResponse> {
  const manner = mannerOf(handler, call.query);
  const response = await retryConflicts(() => {
    const row = changeableRow(handler, call, { ...deps, verb: 'delete' });
    checkIfMatch(call.headers, row);
    return remove(handler, row, { call, manner });
  });
  return httpResponseOf(handler, response, { ...deps, call, isCreation: false });
}

/** `DELETE /v1/{type}` with a filter; `dry_run=true` only counts. Rows go one after the other, each with its operation. */
export async function deleteResources(handler: ErasedHandler, call: Call, deps: RestDeps): Promise<HttpResponse> {
  const { query } = call;
  if (filterCount(query) === 0)
    throw smError('BadRequest', 'a filter is required: say by fieldQuery or labelQuery what is to be deleted');
  if ((query.get('async') ?? 'false') !== 'false')
    throw smError('BadRequest', 'many resources cannot be deleted asynchronously', { field: 'async' });
  const manner = mannerOf(handler, query);
  if (manner.isCascade)
    throw smError('BadRequest', 'many resources cannot be deleted by cascade', { field: 'cascade' });
  const rows = deletableRows(handler, call, deps);
  if (query.get('dry_run') === 'true') return { status: 200, body: { num_items: rows.length } };
  if (rows.length === 0) throw notFound(handler.noun);
  for (const { id } of rows) await removeById(handler, id, { ...deps, call, manner });
  return { status: 200, body: {} };
}

function deletableRows(handler: ErasedHandler, call: Call, deps: RestDeps): readonly AnyRow[] {
  const { rows } = findRows(handler, call, { ...deps, paging: { limit: Number.MAX_SAFE_INTEGER } });
  const { plural } = handler;
  return rows.filter(
    row => handler.isProtected?.(row) !== true && mayChange(call.caller, 'delete', { plural, tenant: row.tenant }),
  );
}

async function removeById(
  handler: ErasedHandler,
  id: string,
  { registry, call, manner }: RestDeps & { readonly call: Call; readonly manner: Manner },
): Promise<void> {
  await retryConflicts(async () => {
    const row = tableOf(registry, handler).get(id);
    if (row !== undefined) await remove(handler, row, { call, manner });
  });
}

async function remove(
  handler: ErasedHandler,
  row: AnyRow,
  { call, manner }: { readonly call: Call; readonly manner: Manner },
): Promise<SmResponse> {
  if (handler.remove === undefined) throw smError('MethodNotAllowed', `a ${handler.noun} cannot be deleted`);
  return handler.remove(row, { ...smRequestOf(handler, call, row.tenant), ...manner });
}

function mannerOf(handler: ErasedHandler, query: URLSearchParams): Manner {
  const isCascade = query.get('cascade') === 'true';
  const isForced = query.get('force') === 'true';
  if (isCascade && !handler.hasCascade)
    throw smError('BadRequest', 'Cascade delete is not supported for this API', { field: 'cascade' });
  const hasForce = handler.hasForce ?? (handler.table === 'instances' || handler.table === 'bindings');
  if (isForced && !(isCascade && hasForce))
    throw smError('BadRequest', 'force is only for instances and bindings, together with cascade', { field: 'force' });
  return { isCascade, isForced };
}
