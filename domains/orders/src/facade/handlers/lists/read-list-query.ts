import { badRequest } from '../../../errors.ts';
import { type ListParameters, type PageStart, parsePage } from '../../../model/lists/page-token.ts';

const defaultLimit = 10;
const maxLimit = 50;

/** What a request for a list asks for. */
export interface ListQuery {
  readonly limit: number;
  /** Of the request, or of the first request when this one asks for a further page. */
  readonly parameters: ListParameters;
  readonly after: PageStart['after'] | undefined;
}

/** The parameters of every list. */
const commonParameters = ['filter', 'order-by', 'order-desc', 'at-time'];

/**
 * Reads the query of a list. With `page` every other parameter but `limit` is ignored. Throws `bad-request` and
 * `invalid-page`.
 */
export function readListQuery(query: URLSearchParams, list: string, more: readonly string[] = []): ListQuery {
  const limit = readLimit(query.get('limit'));
  const page = query.get('page');
  if (page !== null && page !== '') {
    const { parameters, after } = parsePage(page, list);
    return { limit, parameters, after };
  }
  const given = [...commonParameters, ...more].map(name => [name, query.get(name)] as const);
  return { limit, parameters: Object.fromEntries(given.filter(isGiven)), after: undefined };
}

const isGiven = (entry: readonly [string, string | null]): entry is readonly [string, string] => Boolean(entry[1]);

/** Reads `limit`, 1 to 50. Throws `bad-request`. */
export function readLimit(text: string | null, missing = defaultLimit): number {
  if (text === null || text === '') return missing;
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > maxLimit)
    throw badRequest(`limit must be a number from 1 to ${maxLimit}, not '${text.slice(0, 20)}'`);
  return limit;
}

/** Reads a flag of the query. Throws `bad-request`. */
export function readFlag(name: string, text: string | null | undefined, missing: boolean): boolean {
  if (text === null || text === undefined || text === '') return missing;
  if (/^(true|1)$/i.test(text)) return true;
  if (/^(false|0)$/i.test(text)) return false;
  throw badRequest(`${name} must be true or false, not '${text.slice(0, 20)}'`);
}
