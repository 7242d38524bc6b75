import { OrdersError } from '../../errors.ts';
import type { ListPosition } from './list-order.ts';

/** What the pages of a list share: everything that the first request asked for, besides `limit`. */
export type ListParameters = Readonly<Record<string, string>>;

/** Where a page begins. */
export interface PageStart {
  /** The list that it is a page of, such as `services2`. */
  readonly list: string;
  readonly parameters: ListParameters;
  /** The last record of the page before. */
  readonly after: ListPosition;
}

/** Writes a token. Clients do not look into it. */
export const formatPage = (start: PageStart): string => Buffer.from(JSON.stringify(start)).toString('base64url');

/** Reads a token of a list. Throws `invalid-page`. */
export function parsePage(token: string, list: string): PageStart {
  const start = parse(token);
  if (!isPageStart(start) || start.list !== list)
    throw new OrdersError('invalid-page', `The page '${token.slice(0, 40)}' is not one of this list`, { name: 'page' });
  return start;
}

function parse(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token, 'base64url').toString());
  } catch {
    return undefined;
  }
}

function isPageStart(value: unknown): value is PageStart {
  if (!isRecord(value) || !isRecord(value['parameters']) || !isRecord(value['after'])) return false;
  const { values, id } = value['after'];
  return (
    Object.values(value['parameters']).every(each => typeof each === 'string') &&
    typeof id === 'string' &&
    Array.isArray(values) &&
    values.every(each => typeof each === 'string' || typeof each === 'number')
  );
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
