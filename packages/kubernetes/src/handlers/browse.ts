import { badRequest, type KubeObject, type ObjectState, objectStates, situationOf } from '@chandlery/api';
import type { OpenList, Served } from '@chandlery/kernel';
import { Pace } from '@chandlery/platform';
import { integerOf, type ResourceCall } from '../call.ts';
import { sendList } from '../respond.ts';
import { compileSortValue, type SortReader } from '../table/cell.ts';
import { listRequestOf } from './list-request.ts';
import { textFilter } from './object-filter.ts';
import { Ranking } from './ranking.ts';

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
/** Later pages are for no reader, and the server holds in memory all that come before one. */
const maxReach = 10_000;

/** The request that a query makes; undefined for a plain list. */
export function browseRequestOf(query: URLSearchParams): BrowseRequest | undefined {
  if (!parameters.some(name => query.has(name))) return undefined;
  const offset = integerOf(query, 'offset') ?? 0;
  const limit = integerOf(query, 'limit') || defaultLimit;
  if (offset < 0 || limit < 1 || offset + limit > maxReach)
    throw badRequest(`offset and limit must lie within the first ${maxReach} objects: narrow the list by a filter`);
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

/** Sends one page of a browsed collection, with the count of all its objects and of those in each state. */
export async function sendBrowsed(call: ResourceCall, request: BrowseRequest): Promise<void> {
  const { limit: _page, ...everything } = listRequestOf(call);
  const list = await call.calls.list(call.target, everything);
  const { items, total, states } = await browse(list, { ...request, ...readersOf(call, request) });
  const page = items.slice(request.offset, request.offset + request.limit);
  const { revision } = list;
  await sendList(call, { items: page, revision, rest: undefined }, { totalItemCount: total, stateCounts: states });
}

interface Readers {
  readonly matches: (object: KubeObject) => boolean;
  readonly rankOf: (object: KubeObject, state: ObjectState) => string | number | undefined;
}

function readersOf({ target, now }: ResourceCall, { search, sortBy }: BrowseRequest): Readers {
  const matches = textFilter(search);
  switch (sortBy.toLowerCase()) {
    case '':
      return { matches, rankOf: () => 0 };
    case 'status':
      return { matches, rankOf: (_object, state) => objectStates.indexOf(state) };
    case 'namespace':
      return { matches, rankOf: ({ metadata }) => metadata.namespace };
    default: {
      const read = readerOf(target, sortBy);
      return { matches, rankOf: object => read(object, now) };
    }
  }
}

function readerOf({ resource: { version, kind } }: ResourceCall['target'], sortBy: string): SortReader {
  const column = version.columns.find(({ name }) => name.toLowerCase() === sortBy.toLowerCase());
  if (column !== undefined) return compileSortValue(column);
  if (sortBy.toLowerCase() === 'name') return ({ metadata }) => metadata.name;
  const names = version.columns.map(({ name }) => name).join(', ');
  throw badRequest(`${kind.kind} has no column "${sortBy}"; sort by Name, Namespace, Status, ${names}`);
}

interface Browsed {
  readonly items: readonly Served[];
  readonly total: number;
  readonly states: Readonly<Partial<Record<ObjectState, number>>>;
}

/** Reads the whole collection, in pieces, and keeps no more of it than the page needs. */
async function browse(
  { items, rest }: Pick<OpenList, 'items' | 'rest'>,
  { state: wanted, offset, limit, isDescending, matches, rankOf }: BrowseRequest & Readers,
): Promise<Browsed> {
  const ranking = new Ranking<Served>(offset + limit, { isDescending });
  const states: Partial<Record<ObjectState, number>> = {};
  let total = 0;
  const pace = new Pace();
  const take = async (piece: readonly Served[]): Promise<void> => {
    for (const served of piece) {
      if (pace.isDue) await pace.rest();
      const { object } = served;
      if (!matches(object)) continue;
      const { state } = situationOf(object);
      states[state] = (states[state] ?? 0) + 1;
      if (wanted !== undefined && state !== wanted) continue;
      total += 1;
      ranking.add(served, rankOf(object, state));
    }
  };
  await take(items);
  for await (const piece of rest ?? []) await take(piece);
  return { items: ranking.first(), total, states };
}
