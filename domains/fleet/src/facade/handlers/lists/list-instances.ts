import { isDeepStrictEqual } from 'node:util';
import { Pace, type Steps } from '@chandlery/platform';
import { searchColumns } from '../../../model/search/instance-columns.ts';
import { compileSearch } from '../../../model/search/match-search.ts';
import { compareBy, defaultOrder, type OrderTerm, parseOrder } from '../../../model/search/parse-order.ts';
import { parseSearch } from '../../../model/search/parse-search.ts';
import { sortInSteps } from '../../../model/search/sort-in-steps.ts';
import type { InstanceRow } from '../../../registry/fleet-registry.ts';
import { offsetOf, type Paging, readPaging } from './paging.ts';

/** Rows tested between two steps. */
const stepLength = 512;

/** What a request for a list asks for. */
export interface ListQuery {
  readonly paging: Paging;
  readonly order: readonly OrderTerm[];
  /** Undefined: no search. */
  readonly matches: ((row: InstanceRow) => boolean) | undefined;
}

/** One page of instances. */
export interface InstancePage {
  readonly page: number;
  readonly total: number;
  readonly rows: readonly InstanceRow[];
}

/** Reads page, size, orderBy and search. Throws errors 17 and 23. */
export function readListQuery(query: URLSearchParams): ListQuery {
  const paging = readPaging(query);
  const order = parseOrder(query.get('orderBy') ?? '');
  const search = parseSearch(query.get('search') ?? '', searchColumns);
  return { paging, order, matches: search === undefined ? undefined : compileSearch(search) };
}

/** Whether the list is the one in the default order, as a whole. */
export const isPlainList = ({ order, matches }: ListQuery): boolean =>
  matches === undefined && isDeepStrictEqual(order, defaultOrder);

/** Selects and sorts the rows of a page. Others may work in between when there are many. */
export async function listInstances(rows: Iterable<InstanceRow>, query: ListQuery): Promise<InstancePage> {
  const found = await new Pace().run(selectRows([...rows], query));
  const start = offsetOf(query.paging);
  return { page: query.paging.page, total: found.length, rows: found.slice(start, start + query.paging.size) };
}

function* selectRows(rows: readonly InstanceRow[], { matches, order }: ListQuery): Steps<readonly InstanceRow[]> {
  const found: InstanceRow[] = [];
  for (const [at, row] of rows.entries()) {
    if (matches === undefined || matches(row)) found.push(row);
    if (at % stepLength === stepLength - 1) yield;
  }
  return yield* sortInSteps(found, compareBy(order));
}
