import { comparePlaces } from '@chandlery/registry';
import {
  bothQueries,
  type CompiledQuery,
  compileFieldQuery,
  compileLabelQuery,
} from '../../../model/query/compile-query.ts';
import { labelTerm } from '../../../model/query/label-term.ts';
import { parseQuery } from '../../../model/query/parse-query.ts';
import type { TablePage } from '../../../model/rows.ts';
import type { Caller } from '../../../ports.ts';
import { platformSight } from '../access/platform-sight.ts';
import { listedTenants } from '../access/tenants.ts';
import type { Call } from '../transport/route.ts';
import { type AnyRow, type ErasedHandler, tableOf } from './any-handler.ts';
import type { Paging } from './paging.ts';
import type { RestDeps } from './rest-needs.ts';

/** How many conditions a request has set; a bulk deletion needs some. */
export const filterCount = (query: URLSearchParams): number =>
  [...query.getAll('fieldQuery'), ...query.getAll('labelQuery')].filter(text => text !== '').length;

/** A page of the rows that match the request's queries and that the caller may see. */
export function findRows(
  handler: ErasedHandler,
  call: Call,
  { paging, ...deps }: RestDeps & { readonly paging: Paging },
): TablePage<AnyRow> {
  const asked = compileQueries(handler, call);
  const seen = sightOf(handler, call, deps);
  const { test, ids, narrowings, isExact } = bothQueries(asked, seen);
  const table = tableOf(deps.registry, handler);
  const isListed = handler.listFilter?.(call);
  const isWanted = (row: AnyRow) =>
    test(row) && (handler.isVisible?.(row, call.caller) ?? true) && (isListed?.(row) ?? true);
  if (ids !== undefined) return pageOf(ids.flatMap(id => table.get(id) ?? []).filter(isWanted), paging);
  const { limit, after } = paging;
  // Without a filter the number of matches is known without looking at every row.
  const isCounted = isExact && handler.isVisible === undefined && isListed === undefined;
  const filter = isCounted ? {} : { filter: isWanted };
  return table.query({ where: narrowings, limit, ...filter, ...(after === undefined ? {} : { after }) });
}

function compileQueries(handler: ErasedHandler, { query, caller }: Call): CompiledQuery<AnyRow> {
  const fields = fieldsFor(handler, caller);
  const labelsOf = ({ spec }: AnyRow) => (spec as { labels?: Record<string, string[]> }).labels;
  const parts = [
    ...textsOf(query, 'fieldQuery').map(text => compileFieldQuery(parseQuery(text), fields)),
    ...textsOf(query, 'labelQuery').map(text => compileLabelQuery(parseQuery(text), { labelsOf, term: labelTerm })),
  ];
  return parts.reduce(bothQueries, everything);
}

const everything: CompiledQuery<AnyRow> = { narrowings: [], isExact: true, test: () => true };

const textsOf = (query: URLSearchParams, name: string): string[] => query.getAll(name).filter(text => text !== '');

function fieldsFor({ fields, hiddenFields = [] }: ErasedHandler, caller: Caller): ErasedHandler['fields'] {
  if (caller.type === 'operator' || hiddenFields.length === 0) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !hiddenFields.includes(name)));
}

/** What the caller sees of the table at all. */
function sightOf(handler: ErasedHandler, call: Call, { registry }: RestDeps): CompiledQuery<AnyRow> {
  const { caller } = call;
  const own = (filterCount(call.query) === 0 && handler.narrowUnfiltered?.()) || [];
  if (caller.type === 'platform') {
    const sight = platformSight(registry, { table: handler.table, platformId: caller.platformId });
    return { ...sight, narrowings: [...own, ...sight.narrowings] };
  }
  const tenants = listedTenants(call, handler);
  if (tenants === undefined) return { ...everything, narrowings: own };
  const allowed = new Set(tenants);
  return {
    narrowings: [...own, { index: 'tenant', values: tenants }],
    isExact: true,
    test: row => allowed.has(row.tenant),
  };
}

/** A page of rows that were found by their ids. */
function pageOf(found: readonly AnyRow[], { limit, after }: Paging): TablePage<AnyRow> {
  const rows = [...new Set(found)].sort(comparePlaces);
  const left = after === undefined ? rows : rows.filter(row => comparePlaces(row, after) > 0);
  return { rows: left.slice(0, limit), total: rows.length, more: left.length > limit };
}
