import type { ListSelection } from '../../api/table.ts';

export const pageSize = 50;
/** The server knows no later ones. */
const maxPage = 1_000_000 / pageSize;

/** The selection that the address of a list describes; `defaultSort` when it says no order. */
export function selectionOf(query: URLSearchParams, defaultSort = ''): ListSelection {
  const sort = query.get('sort') ?? defaultSort;
  const isDescending = sort.startsWith('-');
  return {
    namespace: query.get('ns') ?? '',
    search: query.get('q') ?? '',
    labelSelector: query.get('labels') ?? '',
    fieldSelector: query.get('fields') ?? '',
    state: query.get('state') ?? '',
    sortBy: isDescending ? sort.slice(1) : sort,
    isDescending,
    offset: (pageOf(query) - 1) * pageSize,
    limit: pageSize,
  };
}

/** The number of the page that the address names; the first is 1. */
export function pageOf(query: URLSearchParams): number {
  const page = Number(query.get('page') ?? '1');
  return Number.isInteger(page) && page > 0 ? Math.min(page, maxPage) : 1;
}

/** What the sort of a list becomes when the heading of a column is chosen: ascending, descending, as before. */
export function nextSort(sort: string, column: string): string {
  if (sort === column) return `-${column}`;
  return sort === `-${column}` ? '' : column;
}
