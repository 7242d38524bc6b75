import { smError } from '../../../errors.ts';
import type { TablePage } from '../../../model/rows.ts';

const defaultItems = 50;
const maxItems = 200;

/** A place in a list. */
interface Place {
  readonly createdAt: string;
  readonly id: string;
}

/** Which part of a list is wanted. */
export interface Paging {
  /** 0: only the number of items. */
  readonly limit: number;
  readonly after?: Place;
}

/** Reads `max_items` and `token`. Throws `InvalidMaxItems` or `TokenInvalid`. */
export function parsePaging(query: URLSearchParams): Paging {
  const token = query.get('token') ?? '';
  return { limit: parseLimit(query.get('max_items')), ...(token === '' ? {} : { after: parseToken(token) }) };
}

function parseLimit(text: string | null): number {
  if (text === null || text === '') return defaultItems;
  if (!/^\+?\d+$/.test(text))
    throw smError('InvalidMaxItems', 'max_items must be a whole number, 0 or more', { field: 'max_items' });
  return Math.min(Number(text), maxItems);
}

function parseToken(token: string): Place {
  const invalid = () => smError('TokenInvalid', 'the token is not one that a list has given', { field: 'token' });
  if (!/^[A-Za-z0-9_-]+$/.test(token)) throw invalid();
  const [createdAt, id, ...rest] = Buffer.from(token, 'base64url').toString('utf8').split('\n');
  const isPlace =
    createdAt !== undefined && id !== undefined && rest.length === 0 && /^\d{4}-\d\d-\d\dT/.test(createdAt);
  if (!isPlace) throw invalid();
  return { createdAt, id };
}

const formatToken = ({ createdAt, id }: Place): string => Buffer.from(`${createdAt}\n${id}`).toString('base64url');

/** The token of the page after this one; undefined for the last. */
export function nextToken({ rows, more }: TablePage<Place>): string | undefined {
  const last = rows.at(-1);
  return more && last !== undefined ? formatToken(last) : undefined;
}

/** The header that points to the next page: the same address with another token. */
export function nextLink(path: string, query: URLSearchParams, token: string): string {
  const next = new URLSearchParams(query);
  next.set('token', token);
  return `<${path}?${next}>; rel="next"`;
}
