import { createHash } from 'node:crypto';
import {
  badRequest,
  displayNameOf,
  isRecord,
  type KubeObject,
  type ObjectState,
  objectStates,
  situationOf,
} from '@chandlery/api';
import { type Browsed, changedAtOf, type Entry, nameFit, type Target } from '@chandlery/kernel';
import { Pace } from '@chandlery/platform';
import { type Call, inTurn } from '../call.ts';
import { nextChange } from './next-change.ts';
import { noise, unlessDamaged, visibleTargets } from './visible-targets.ts';

interface SearchSpec {
  readonly text?: unknown;
  readonly states?: unknown;
  readonly namespace?: unknown;
  readonly except?: unknown;
  readonly orderBy?: unknown;
  readonly limit?: unknown;
}

interface ObjectSearchSpec extends SearchSpec {
  readonly searches?: unknown;
  readonly after?: unknown;
  readonly timeoutSeconds?: unknown;
}

interface Search {
  readonly text: string;
  readonly states: readonly ObjectState[];
  /** Empty: all. */
  readonly namespace: string;
  /** Kinds that are left out, as `resource.group`. */
  readonly except: ReadonlySet<string>;
  readonly orderBy: SearchOrder;
  readonly limit: number;
}

/** By state; what was changed last first; or first the objects whose names fit the text. */
const searchOrders = ['urgency', 'changed', 'name'] as const;
type SearchOrder = (typeof searchOrders)[number];

interface SearchResult {
  readonly items: readonly object[];
  readonly total: number;
  readonly isIncomplete?: true;
}

interface Searched {
  readonly result: SearchResult;
  /** Whether a collection is still being read, of which more is known in a moment. */
  readonly isReading: boolean;
}

const defaultLimit = 50;
const maxLimit = 500;
const maxSearches = 5;
const maxTimeoutSeconds = 30;
/** Collections without an index are read first: what takes longer than this is left out, and found later. */
const maxWaitMs = 500;
/** A request that waits for changes searches again not sooner, and not for more than a tenth of the time. */
const minPauseMs = 1000;
const pauseFactor = 10;

/** Searches the objects of all kinds that the caller may list; with `after`, as soon as there is something else. */
export async function searchObjects(call: Call, { spec }: KubeObject): Promise<object> {
  const asked: ObjectSearchSpec = recordOf(spec, 'spec');
  const isSeveral = Array.isArray(asked.searches);
  const searches = searchesOf(asked);
  const after = stringOf(asked, 'after');
  const endsAt = performance.now() + (after === '' ? 0 : timeoutOf(asked) * 1000);
  using _place = after === '' ? undefined : call.turns.follow(call.sender);
  for (;;) {
    using change = nextChange(call, noise);
    let startedAt = 0;
    const found = await inTurn(call, async () => {
      startedAt = performance.now();
      // Rights may have been revoked while the request was waiting.
      return searchAll({ ...call, access: await call.kernel.access.of(call.home) }, searches);
    });
    const results = found.map(({ result }) => result);
    const token = createHash('sha256').update(JSON.stringify(results)).digest('base64url').slice(0, 22);
    if (token !== after) return { ...(isSeveral ? { results } : results[0]), token };
    if (performance.now() >= endsAt) return { token, isUnchanged: true };
    const pauseMs = Math.max(minPauseMs, (performance.now() - startedAt) * pauseFactor);
    const isReading = found.some(search => search.isReading);
    if (!(await change.within(isReading ? pauseMs : endsAt - performance.now(), pauseMs)))
      return { token, isUnchanged: true };
  }
}

function searchesOf({ searches, ...single }: ObjectSearchSpec): readonly Search[] {
  if (searches === undefined || searches === null) return [searchOf(single)];
  if (!Array.isArray(searches)) throw badRequest('spec.searches must be a list');
  if (searches.length === 0 || searches.length > maxSearches)
    throw badRequest(`spec.searches must have 1 to ${maxSearches} items`);
  return searches.map(search => searchOf(recordOf(search, 'spec.searches')));
}

function searchOf(spec: SearchSpec): Search {
  const { orderBy = 'urgency', limit = defaultLimit } = spec;
  const states = stringsOf(spec, 'states');
  if (!states.every(state => objectStates.includes(state as ObjectState)))
    throw badRequest(`spec.states may contain ${objectStates.join(', ')}`);
  if (!Number.isInteger(limit) || Number(limit) < 1 || Number(limit) > maxLimit)
    throw badRequest(`spec.limit must be an integer from 1 to ${maxLimit}`);
  if (!searchOrders.includes(orderBy as SearchOrder))
    throw badRequest(`spec.orderBy must be one of ${searchOrders.join(', ')}`);
  return {
    text: stringOf(spec, 'text'),
    states: [...new Set(states as ObjectState[])],
    namespace: stringOf(spec, 'namespace'),
    except: new Set(stringsOf(spec, 'except')),
    orderBy: orderBy as SearchOrder,
    limit: Number(limit),
  };
}

function recordOf(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  if (isRecord(value)) return value;
  throw badRequest(`${name} must hold objects with the fields of a search`);
}

/** A search that ignored a mistake would find everything. */
function stringOf(spec: ObjectSearchSpec, field: 'text' | 'namespace' | 'after'): string {
  const value = spec[field] ?? '';
  if (typeof value === 'string') return value;
  throw badRequest(`spec.${field} must be a string`);
}

function stringsOf(spec: SearchSpec, field: 'states' | 'except'): readonly string[] {
  const value: unknown = spec[field] ?? [];
  if (Array.isArray(value) && value.every(item => typeof item === 'string')) return value;
  throw badRequest(`spec.${field} must be a list of strings`);
}

function timeoutOf({ timeoutSeconds = maxTimeoutSeconds }: ObjectSearchSpec): number {
  if (Number.isInteger(timeoutSeconds) && Number(timeoutSeconds) >= 0 && Number(timeoutSeconds) <= maxTimeoutSeconds)
    return Number(timeoutSeconds);
  throw badRequest(`spec.timeoutSeconds must be an integer from 0 to ${maxTimeoutSeconds}`);
}

async function searchAll(call: Call, searches: readonly Search[]): Promise<readonly Searched[]> {
  const byNamespace = new Map<string, Promise<readonly Target[]>>();
  const results: Searched[] = [];
  for (const search of searches) {
    const targets = byNamespace.get(search.namespace) ?? visibleTargets(call, search.namespace);
    byNamespace.set(search.namespace, targets);
    results.push(await searchTargets(call, await targets, search));
  }
  return results;
}

interface Candidate {
  readonly target: Target;
  readonly entry: Entry;
}

/** What is found in a collection that is still being read. */
const notYetRead: Pick<Browsed, 'entries' | 'total' | 'isIncomplete'> = { entries: [], total: 0, isIncomplete: true };

/** The first objects of each collection, and of those the first ones. */
async function searchTargets(
  call: Call,
  targets: readonly Target[],
  { text, states, except, orderBy, limit }: Search,
): Promise<Searched> {
  const pace = new Pace();
  const endsAt = performance.now() + maxWaitMs;
  const candidates: Candidate[] = [];
  let total = 0;
  let isIncomplete = false;
  let isReading = false;
  for (const target of targets) {
    if (except.has(resourceName(target))) continue;
    if (pace.isDue) await pace.rest();
    const browsed = call.calls.browse(target, {
      search: text,
      states,
      sort: { type: orderBy === 'changed' ? 'changed' : 'urgency' },
      isByName: orderBy === 'name',
      isDescending: false,
      offset: 0,
      limit,
      maxWaitMs: Math.max(0, endsAt - performance.now()),
    });
    const found = await unlessDamaged(browsed.then(page => page ?? notYetRead));
    isIncomplete ||= found?.isIncomplete ?? true;
    isReading ||= found === notYetRead;
    total += found?.total ?? 0;
    candidates.push(...(found?.entries ?? []).map(entry => ({ target, entry })));
  }
  const order = compareFound(orderBy, text);
  const first = candidates.toSorted((one, other) => order(one.entry, other.entry)).slice(0, limit);
  const items = await describe(call, first, pace);
  return { result: { items, total, ...(isIncomplete ? { isIncomplete } : {}) }, isReading };
}

/** So many objects are read at a time: together they may be large. */
const readAtATime = 32;

async function describe(call: Call, candidates: readonly Candidate[], pace: Pace): Promise<readonly object[]> {
  const items: object[] = [];
  for (let start = 0; start < candidates.length; start += readAtATime) {
    const some = candidates.slice(start, start + readAtATime);
    const read = await Promise.all(some.map(({ target, entry }) => unlessDamaged(call.calls.readEntry(target, entry))));
    for (const [at, served] of read.entries()) {
      const target = some[at]?.target;
      if (served === undefined || target === undefined) continue;
      if (pace.isDue) await pace.rest();
      items.push(foundOf(target, served.object));
    }
  }
  return items;
}

const resourceName = ({ resource: { kind } }: Target): string =>
  [kind.groupResource.resource, kind.group].filter(part => part !== '').join('.');

/** What was changed last first, unless the state or the fit of the name decides. */
function compareFound(orderBy: SearchOrder, text: string): (one: Entry, other: Entry) => number {
  const fitOf = orderBy === 'name' ? nameFit(text) : () => 0;
  const positionOf = orderBy === 'changed' ? () => 0 : ({ state }: Entry) => objectStates.indexOf(state);
  return (one, other) =>
    fitOf(one) - fitOf(other) || positionOf(one) - positionOf(other) || other.changedAtMs - one.changedAtMs;
}

/** Objects may say more of themselves than people read. */
const maxTextLength = 1000;
const shortened = (text: string): string => (text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength)}…`);

function foundOf(target: Target, object: KubeObject): object {
  const { kind, version } = target.resource;
  const { name, namespace } = object.metadata;
  const displayName = displayNameOf(object);
  const { state, reason, message } = situationOf(object);
  return {
    group: kind.group,
    version: version.name,
    plural: kind.groupResource.resource,
    kind: kind.kind,
    ...(namespace && { namespace }),
    name,
    ...(displayName !== undefined && displayName !== name && { displayName: shortened(displayName) }),
    state,
    ...(reason !== undefined && { reason: shortened(String(reason)) }),
    ...(message !== undefined && { message: shortened(String(message)) }),
    changedAt: changedAtOf(object),
  };
}
