import { fleetError } from '../../../errors.ts';

const defaultSize = 100;
const maxSize = 65_500;

/** The page that a request asks for. */
export interface Paging {
  readonly page: number;
  readonly size: number;
}

/** A list as it is sent. */
export interface ListEnvelope {
  readonly kind: string;
  readonly page: number;
  /** The number of items on this page. */
  readonly size: number;
  /** The number of items on all pages. */
  readonly total: number;
  readonly items: readonly object[];
}

/**
 * Reads `page` and `size`. What is no number counts as 0; a size that is negative or too large becomes the largest
 * possible. Throws error 17 for a size of 0 and a negative page. Page 0 is the first page.
 */
export function readPaging(query: URLSearchParams): Paging {
  const page = readNumber(query.get('page'), 1);
  const size = readNumber(query.get('size'), defaultSize);
  if (page < 0) throw fleetError(17, 'Unable to list the requests: page must be equal or greater than 0');
  if (size === 0) throw fleetError(17, 'Unable to list the requests: size must be equal or greater than 1');
  return { page, size: size < 0 || size > maxSize ? maxSize : size };
}

function readNumber(text: string | null, missing: number): number {
  if (text === null || text === '') return missing;
  const number = /^[+-]?\d+$/.test(text) ? Number(text) : 0;
  return Number.isSafeInteger(number) ? number : 0;
}

/** How many items come before the page. */
export const offsetOf = ({ page, size }: Paging): number => Math.max(0, page - 1) * size;

/** Wraps the items of one page. */
export const listEnvelope = (
  kind: string,
  { page, total, items }: { readonly page: number; readonly total: number; readonly items: readonly object[] },
): ListEnvelope => ({ kind, page, size: items.length, total, items });

/** Wraps the page of a list that is in memory as a whole. */
export function pageOf(kind: string, all: readonly object[], paging: Paging): ListEnvelope {
  const start = offsetOf(paging);
  return listEnvelope(kind, { page: paging.page, total: all.length, items: all.slice(start, start + paging.size) });
}
