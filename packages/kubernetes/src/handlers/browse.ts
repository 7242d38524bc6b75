import { badRequest, type Column, type ObjectState, objectStates } from '@chandlery/api';
import type { BrowseQuery } from '@chandlery/kernel';
import { inTurn, integerOf, type ResourceCall } from '../call.ts';
import { sendList } from '../respond.ts';
import { compileSortValue } from '../table/cell.ts';
import { listRequestOf } from './list-request.ts';

/**
 * How people browse a collection: filtered by text and state, sorted by a column, page by page. Query parameters that
 * Kubernetes does not have; its own clients do not send them.
 */
export interface BrowseRequest {
  /** Part of a name, namespace or label. Empty: any. */
  readonly search: string;
  /** Undefined: any. */
  readonly state: ObjectState | undefined;
  /** The name of a column, `Namespace` or `Status`. Empty: in key order. */
  readonly sortBy: string;
  readonly isDescending: boolean;
  readonly offset: number;
  readonly limit: number;
}

const parameters = ['search', 'state', 'sortBy', 'descending', 'offset'] as const;
const defaultLimit = 100;
const maxLimit = 1000;
const maxOffset = 1_000_000;

/** The request that a query makes; undefined for a plain list. */
export function browseRequestOf(query: URLSearchParams): BrowseRequest | undefined {
  if (!parameters.some(name => query.has(name))) return undefined;
  const offset = integerOf(query, 'offset') ?? 0;
  const limit = integerOf(query, 'limit') || defaultLimit;
  if (offset < 0 || offset > maxOffset) throw badRequest(`offset must be from 0 to ${maxOffset}`);
  if (limit < 1 || limit > maxLimit) throw badRequest(`limit must be from 1 to ${maxLimit} for a list with an order`);
  return {
    search: query.get('search') ?? '',
    state: stateOf(query.get('state') ?? ''),
    sortBy: query.get('sortBy') ?? '',
    isDescending: query.get('descending') === 'true',
    offset,
    limit,
  };
}

function stateOf(text: string): ObjectState | undefined {
  const found = objectStates.find(state => state === text);
  if (found === undefined && text !== '') throw badRequest(`state must be one of ${objectStates.join(', ')}`);
  return found;
}

/** How long the first request waits for the index of a large collection; it then gets a page without counts. */
const maxWaitMs = 400;

/** Sends one page of a browsed collection, with the count of all its objects and of those in each state. */
export async function sendBrowsed(call: ResourceCall, request: BrowseRequest): Promise<void> {
  const { calls, target } = call;
  const { search, state, isDescending, offset, limit } = request;
  const { labelSelector, fieldSelector } = listRequestOf(call);
  const sorting = sortingOf(call.target, request.sortBy);
  const isPlain = search === '' && state === undefined && offset === 0 && sorting.sort.type === 'key' && !isDescending;
  const query = {
    search,
    states: state === undefined ? [] : [state],
    ...sorting,
    isDescending,
    offset,
    limit,
    labelSelector,
    fieldSelector,
    ...(isPlain ? { maxWaitMs } : {}),
  };
  // While a collection is read for the first time, others have their turn.
  if (!isPlain && !fieldSelector) await calls.prepareBrowse(target);
  const found = await inTurn(call, () => calls.browse(target, query));
  if (found === undefined) return sendFirstPage(call, limit);
  const { revision, total, states, isIncomplete } = found;
  await sendList(
    call,
    { ...(await calls.openEntries(target, found.entries)), revision },
    { totalItemCount: total, stateCounts: states, ...(isIncomplete ? { isIncomplete } : {}) },
  );
}

/** The first page in key order, while the collection is being read: more is known in a moment. */
async function sendFirstPage(call: ResourceCall, limit: number): Promise<void> {
  const { items, revision, remaining } = await call.calls.list(call.target, { ...listRequestOf(call), limit });
  const total = remaining === undefined ? {} : { totalItemCount: items.length + remaining };
  await sendList(call, { items, revision, rest: undefined }, { ...total, isIncomplete: true });
}

type Sorting = Pick<BrowseQuery, 'sort' | 'read'>;

const namedSorts: Readonly<Record<string, Sorting['sort']>> = {
  '': { type: 'key' },
  status: { type: 'status' },
  namespace: { type: 'namespace' },
};

function sortingOf({ resource: { version, kind } }: ResourceCall['target'], sortBy: string): Sorting {
  const wanted = sortBy.toLowerCase();
  const named = namedSorts[wanted];
  if (named !== undefined) return { sort: named };
  const column = version.columns.find(({ name }) => name.toLowerCase() === wanted);
  if (column === undefined && wanted === 'name') return { sort: { type: 'name' } };
  if (column === undefined) {
    const names = version.columns.map(({ name }) => name).join(', ');
    throw badRequest(`${kind.kind} has no column "${sortBy}"; sort by Name, Namespace, Status, ${names}`);
  }
  if (isAge(column)) return { sort: { type: 'age' } };
  // A definition may give the same name to another field.
  const id = JSON.stringify([version.apiVersion, column.name, column.type, column.jsonPath]);
  return { sort: { type: 'column', id }, read: compileSortValue(column) };
}

/** Every entry knows its age. */
const isAge = ({ type, name, jsonPath, cell }: Column): boolean =>
  type === 'date' && (jsonPath === '.metadata.creationTimestamp' || (name === 'Age' && cell !== undefined));
