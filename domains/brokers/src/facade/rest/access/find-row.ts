import { notFound, smError } from '../../../errors.ts';
import { type AnyRow, type ErasedHandler, tableOf } from '../routes/any-handler.ts';
import type { RestDeps } from '../routes/rest-needs.ts';
import type { Call } from '../transport/route.ts';
import { platformSight } from './platform-sight.ts';
import { mayChange, mayRead } from './tenants.ts';

/** A row that the caller may read. Throws `NotFound` also for those that others have. */
export function readableRow(handler: ErasedHandler, call: Call, deps: RestDeps): AnyRow {
  const row = tableOf(deps.registry, handler).get(call.params['id'] ?? '');
  const { caller } = call;
  if (row === undefined || !mayRead(caller, handler, row.tenant) || handler.isVisible?.(row, caller) === false)
    throw notFound(handler.noun);
  if (caller.type === 'platform' && !isInSight(handler, row, { ...deps, platformId: caller.platformId }))
    throw notFound(handler.noun);
  return row;
}

const isInSight = (
  { table }: ErasedHandler,
  row: AnyRow,
  { registry, platformId }: RestDeps & { readonly platformId: string },
): boolean => platformSight(registry, { table, platformId }).test(row);

/**
 * A row that the caller may change or delete. Throws `NotFound` for rows that they may not even read and for the service
 * manager's own, `Forbidden` for others. Rows that reads hide can be changed all the same.
 */
export function changeableRow(
  handler: ErasedHandler,
  call: Call,
  { registry, verb }: RestDeps & { readonly verb: 'update' | 'delete' },
): AnyRow {
  const row = tableOf(registry, handler).get(call.params['id'] ?? '');
  const { caller } = call;
  if (row === undefined || !mayRead(caller, handler, row.tenant) || handler.isProtected?.(row) === true)
    throw notFound(handler.noun);
  if (!mayChange(caller, verb, { plural: handler.plural, tenant: row.tenant }))
    throw smError('Forbidden', `${caller.username} may not ${verb} this ${handler.noun}`);
  return row;
}
