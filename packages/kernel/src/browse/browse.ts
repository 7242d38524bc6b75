import { badRequest, type ObjectState, objectStates } from '@chandlery/api';
import { Pace, withTimeLimit } from '@chandlery/platform';
import { type OpenList, openList } from '../resources/read.ts';
import type { ResourceDeps, Target } from '../resources/request.ts';
import { type Selection, selectObjects } from '../resources/selection.ts';
import { type Served, serveStored } from '../resources/served.ts';
import { narrowParts, type VisiblePart } from '../views/visible-parts.ts';
import type { CollectionIndex } from './collection-index.ts';
import { type Entry, type EntryKey, entryOf, labelsOf, nameFit, type RankReader, textMatcher } from './entry.ts';
import { type EntryOrder, orderBy, type SortKey } from './rank.ts';
import { SortedEntries } from './sorted-entries.ts';

/** What of a collection is asked for, and in which order. */
export interface BrowseQuery {
  /** Part of a name, namespace, given name or label. Empty: any. */
  readonly search: string;
  /** Empty: any. */
  readonly states: readonly ObjectState[];
  readonly sort: SortKey;
  readonly isDescending: boolean;
  /** Whether objects whose names fit the text best come first, those that fit alike in the order of `sort`. Default false. */
  readonly isByName?: boolean;
  /** Reads what a column sorts by. Only for columns. */
  readonly read?: RankReader | undefined;
  readonly offset: number;
  readonly limit: number;
  /** Default: any. */
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** How long a request waits for a collection that is read or sorted for the first time. Default: as long as it takes. */
  readonly maxWaitMs?: number;
}

/** A page of a collection, and how many objects there are. */
export interface Browsed {
  readonly entries: readonly Entry[];
  /** Objects that are asked for, on all pages. */
  readonly total: number;
  /** Before the filter by state. */
  readonly states: Readonly<Partial<Record<ObjectState, number>>>;
  /** Changes after it may not be shown. */
  readonly revision: number;
  /** Whether only a part of the collection was examined. */
  readonly isIncomplete: boolean;
}

/** Longer texts are in no name and no label. */
const maxSearchLength = 1000;
/** How long a replica may be behind before it answers by what it knows. */
const maxCatchUpMs = 1000;
/** Sorting for the first time is given at least so long. */
const minRestMs = 20;
/** Without an index a request examines no more objects than this. */
const maxExamined = 20_000;

/**
 * Finds a page of a collection and counts its objects by state, from an index in memory. A request costs the same however
 * large the collection is, unless it has a text, a selector, or a user who sees several parts: then all entries that the
 * user sees are looked at, with rests. Selections by field, and collections that are too large for an index, are read from
 * the store. Undefined: the index is not there within the time.
 */
export async function browse(deps: ResourceDeps, target: Target, query: BrowseQuery): Promise<Browsed | undefined> {
  const { store, feed, indexes } = deps;
  if (query.search.length > maxSearchLength)
    throw badRequest(`a search may have at most ${maxSearchLength} characters`);
  await feed.reachedWithin(await store.currentRevision(), maxCatchUpMs);
  const { labelSelector = '', fieldSelector = '' } = query;
  const selection = selectObjects(target, { labelSelector, fieldSelector });
  const collection = { cluster: target.cluster, resource: target.resource.kind.stored.resource };
  // Fields are known to the objects alone.
  if (selection.matches !== undefined && selection.matchesLabels === undefined) return scan(deps, target, query);
  const { maxWaitMs = Number.POSITIVE_INFINITY } = query;
  const startedAt = performance.now();
  const index = await indexes.within(collection, maxWaitMs);
  if (index === undefined) return indexes.isTooLarge(collection) ? scan(deps, target, query) : undefined;
  // Entries know each change up to here; a change of rights is noticed from the revision at which they were evaluated.
  const revision = Math.min(feed.position, target.visibility?.revision ?? feed.position);
  const rest = Math.max(minRestMs, maxWaitMs - (performance.now() - startedAt));
  const found = await withTimeLimit(browseIndex(index, { target, selection, query }), rest);
  return found && { ...found, revision };
}

/** Resolves when the index of a collection is there, or is known not to come. */
export async function prepareBrowse({ indexes }: Pick<ResourceDeps, 'indexes'>, target: Target): Promise<void> {
  const collection = { cluster: target.cluster, resource: target.resource.kind.stored.resource };
  await indexes.within(collection, Number.POSITIVE_INFINITY);
}

/** The object of an entry; undefined when it no longer exists. */
export async function readEntry(
  { store, codec }: Pick<ResourceDeps, 'store' | 'codec'>,
  { cluster, resource }: Target,
  { namespace, name }: EntryKey,
): Promise<Served | undefined> {
  const found = await store.get({ cluster, resource: resource.kind.stored.resource, namespace, name });
  return found && serveStored(resource, codec, found);
}

/** So many objects are read at a time. */
const entriesAtATime = 32;
/** The size of the pieces of a page. */
const pieceBytes = 1024 * 1024;

/**
 * The objects of entries, in their order and in pieces that are read when they are needed: a page may have more than fits
 * into memory. Those that no longer exist are left out.
 */
export async function openEntries(
  deps: Pick<ResourceDeps, 'store' | 'codec'>,
  target: Target,
  entries: readonly EntryKey[],
): Promise<Pick<OpenList, 'items' | 'rest'>> {
  const pieces = piecesOfEntries(deps, target, entries);
  const { value: items = [] } = await pieces.next();
  const { value: second } = await pieces.next();
  return { items, rest: second && piecesOf(second, pieces) };
}

async function* piecesOfEntries(
  deps: Pick<ResourceDeps, 'store' | 'codec'>,
  target: Target,
  entries: readonly EntryKey[],
): AsyncGenerator<readonly Served[], undefined> {
  let piece: Served[] = [];
  let bytes = 0;
  for (let start = 0; start < entries.length; start += entriesAtATime) {
    const some = entries.slice(start, start + entriesAtATime);
    const found = await Promise.all(some.map(entry => readEntry(deps, target, entry)));
    for (const served of found) {
      if (served === undefined) continue;
      piece.push(served);
      bytes += served.bytes.length;
      if (bytes < pieceBytes) continue;
      yield piece;
      piece = [];
      bytes = 0;
    }
  }
  if (piece.length > 0) yield piece;
}

interface IndexRequest {
  readonly target: Target;
  readonly selection: Selection;
  readonly query: BrowseQuery;
}

type Found = Omit<Browsed, 'revision'>;

async function browseIndex(index: CollectionIndex, { target, selection, query }: IndexRequest): Promise<Found> {
  const { sort, isDescending, read } = query;
  const matches = matcherOf(query, selection);
  const parts = partsOf(target, selection);
  if (parts !== undefined) {
    const order = await index.order({ sort, isDescending, read });
    return pageOfEntries(entriesOf(index, parts), {
      ...query,
      matches,
      order: sort.type === 'key' ? undefined : order,
      fitOf: fitReaderOf(query),
    });
  }
  const namespace = target.resource.kind.isNamespaced ? selection.namespace : undefined;
  const sorted = await index.sorted({ sort, isDescending, read, namespace });
  if (matches === undefined) return pageOfRun(sorted, query);
  return pageOfEntries(sorted.all(), { ...query, matches, order: undefined, fitOf: fitReaderOf(query) });
}

/** Undefined: how well the names fit decides nothing. */
const fitReaderOf = ({ isByName = false, search }: BrowseQuery): EntriesRequest['fitOf'] =>
  isByName ? nameFit(search) : undefined;

/** The parts that are meant; undefined when they are the collection or one namespace of it. */
function partsOf({ visibility, resource }: Target, { namespace, name }: Selection): readonly VisiblePart[] | undefined {
  if (visibility === undefined && name === undefined) return undefined;
  const within = { ...(namespace === undefined ? {} : { namespace }), ...(name === undefined ? {} : { name }) };
  if (visibility !== undefined) return narrowParts(visibility.parts, within);
  if (namespace === undefined && resource.kind.isNamespaced) return undefined;
  return name === undefined ? undefined : [{ namespace: namespace ?? '', names: [name] }];
}

const entriesOf = (index: CollectionIndex, parts: readonly VisiblePart[]): readonly Entry[] =>
  parts.flatMap(({ namespace, names }) =>
    names === undefined
      ? index.entries(namespace)
      : names.map(name => index.find({ namespace, name })).filter(entry => entry !== undefined),
  );

/** Whether an entry has the text, the labels and the name that are asked for. Undefined: every one has. */
function matcherOf({ search }: BrowseQuery, selection: Selection): ((entry: Entry) => boolean) | undefined {
  const hasText = textMatcher(search);
  const hasLabels = selection.matches === undefined ? undefined : selection.matchesLabels;
  const { name } = selection;
  if (hasText === undefined && hasLabels === undefined && name === undefined) return undefined;
  return entry =>
    (name === undefined || entry.name === name) &&
    (hasText === undefined || hasText(entry)) &&
    (hasLabels === undefined || hasLabels(labelsOf(entry)));
}

/** Counts are known, and pages are found by them. */
function pageOfRun(run: SortedEntries, { states, offset, limit }: BrowseQuery): Found {
  const [state, ...others] = states;
  const page = others.length === 0 ? run.page({ state, offset, limit }) : pageOfStates(run, { states, offset, limit });
  return { ...countsOf(run.counts, states), entries: page, isIncomplete: false };
}

const pageOfStates = (
  run: SortedEntries,
  { states, offset, limit }: Pick<BrowseQuery, 'states' | 'offset' | 'limit'>,
): readonly Entry[] =>
  states
    .flatMap(state => run.page({ state, offset: 0, limit: offset + limit }))
    .toSorted(run.order)
    .slice(offset, offset + limit);

function countsOf(counts: readonly number[], wanted: readonly ObjectState[]): Pick<Found, 'states' | 'total'> {
  const known = objectStates.flatMap((state, at) => (counts[at] ? [[state, counts[at]] as const] : []));
  const asked = known.filter(([state]) => wanted.length === 0 || wanted.includes(state));
  return { states: Object.fromEntries(known), total: asked.reduce((sum, [, count]) => sum + count, 0) };
}

interface EntriesRequest extends Pick<BrowseQuery, 'states' | 'offset' | 'limit'> {
  readonly matches: ((entry: Entry) => boolean) | undefined;
  /** Undefined: they are in order. */
  readonly order: EntryOrder | undefined;
  /** Entries of a lower number come first. Undefined: all are alike. */
  readonly fitOf: ((entry: Entry) => number) | undefined;
}

/** Looks at each entry, with rests. */
async function pageOfEntries(
  entries: readonly Entry[],
  { states, offset, limit, matches, order, fitOf = () => 0 }: EntriesRequest,
): Promise<Found> {
  const counts = objectStates.map(() => 0);
  const found: FirstEntries[] = [];
  const end = offset + limit;
  const pace = new Pace();
  for (const [at, entry] of entries.entries()) {
    if (at % entriesPerLook === 0 && pace.isDue) await pace.rest();
    if (matches !== undefined && !matches(entry)) continue;
    const state = objectStates.indexOf(entry.state);
    counts[state] = (counts[state] ?? 0) + 1;
    if (states.length > 0 && !states.includes(entry.state)) continue;
    const fit = fitOf(entry);
    found[fit] ??= firstEntries(end, order);
    found[fit].add(entry);
  }
  const page = found.flatMap(group => group.all()).slice(offset, end);
  return { ...countsOf(counts, states), entries: page, isIncomplete: false };
}

/** The first of the entries that were added. */
interface FirstEntries {
  add(entry: Entry): void;
  all(): readonly Entry[];
}

/** `order`: undefined when they are added in order. */
function firstEntries(limit: number, order: EntryOrder | undefined): FirstEntries {
  if (order !== undefined) {
    const sorted = new SortedEntries(order);
    return { add: entry => sorted.insert(entry), all: () => sorted.page({ offset: 0, limit }) };
  }
  const found: Entry[] = [];
  return { add: entry => found.length < limit && found.push(entry), all: () => found };
}

/** The clock is looked at after so many entries. */
const entriesPerLook = 64;

/** Reads objects from the store: those that a selector chooses, but not more than a request may examine. */
async function scan(deps: ResourceDeps, target: Target, query: BrowseQuery): Promise<Browsed> {
  const { sort, isDescending, read, labelSelector = '', fieldSelector = '' } = query;
  const { items, rest, revision } = await openList(deps, target, { labelSelector, fieldSelector });
  const entries: Entry[] = [];
  const pace = new Pace();
  let isIncomplete = false;
  for await (const piece of piecesOf(items, rest)) {
    for (const served of piece) {
      if (pace.isDue) await pace.rest();
      const { name = '', namespace = '' } = served.object.metadata;
      const readers = read === undefined ? [] : [read];
      entries.push(entryOf({ namespace, name }, served.object, { revision: served.revision, readers }));
    }
    isIncomplete = rest !== undefined && entries.length >= maxExamined;
    if (isIncomplete) break;
  }
  const order = orderBy(sort, { slot: 0, isDescending });
  const matches = textMatcher(query.search);
  const found = await pageOfEntries(entries, { ...query, matches, order, fitOf: fitReaderOf(query) });
  return { ...found, revision, isIncomplete };
}

async function* piecesOf(
  first: readonly Served[],
  rest: AsyncIterable<readonly Served[]> | undefined,
): AsyncIterable<readonly Served[]> {
  yield first;
  yield* rest ?? [];
}
