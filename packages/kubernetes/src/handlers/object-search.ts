import { createHash } from 'node:crypto';
import {
  badRequest,
  displayNameOf,
  type KubeObject,
  type ObjectState,
  objectStates,
  situationOf,
} from '@chandlery/api';
import { changedAtOf, type Entry, type Target } from '@chandlery/kernel';
import { Pace } from '@chandlery/platform';
import type { Call } from '../call.ts';
import { nextChange } from './next-change.ts';
import { noise, visibleTargets } from './visible-targets.ts';

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
  readonly isByChange: boolean;
  readonly limit: number;
}

interface SearchResult {
  readonly items: readonly object[];
  readonly total: number;
  readonly isIncomplete?: true;
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
  const asked: ObjectSearchSpec = spec ?? {};
  const isSeveral = Array.isArray(asked.searches);
  const searches = searchesOf(asked);
  const after = typeof asked.after === 'string' ? asked.after : '';
  const endsAt = performance.now() + (after === '' ? 0 : timeoutOf(asked) * 1000);
  for (;;) {
    const startedAt = performance.now();
    const change = nextChange(call, noise);
    const results = await searchAll(call, searches);
    const token = createHash('sha256').update(JSON.stringify(results)).digest('base64url').slice(0, 22);
    if (token !== after) {
      change.stop();
      return { ...(isSeveral ? { results } : results[0]), token };
    }
    if (performance.now() >= endsAt) {
      change.stop();
      return { token, isUnchanged: true };
    }
    const pauseMs = Math.max(minPauseMs, (performance.now() - startedAt) * pauseFactor);
    const isReading = results.some(({ isIncomplete }) => isIncomplete);
    if (!(await change.within(isReading ? pauseMs : endsAt - performance.now(), pauseMs)))
      return { token, isUnchanged: true };
  }
}

function searchesOf({ searches, ...single }: ObjectSearchSpec): readonly Search[] {
  if (!Array.isArray(searches)) return [searchOf(single)];
  if (searches.length === 0 || searches.length > maxSearches)
    throw badRequest(`spec.searches must have 1 to ${maxSearches} items`);
  return searches.map(search => searchOf((search ?? {}) as SearchSpec));
}

function searchOf({ text, states, namespace, except, orderBy, limit = defaultLimit }: SearchSpec): Search {
  const wanted: readonly unknown[] = Array.isArray(states) ? states : [];
  const unknown = wanted.find(state => !objectStates.includes(state as ObjectState));
  if (unknown !== undefined) throw badRequest(`spec.states may contain ${objectStates.join(', ')}`);
  if (!Number.isInteger(limit) || Number(limit) < 1 || Number(limit) > maxLimit)
    throw badRequest(`spec.limit must be an integer from 1 to ${maxLimit}`);
  if (orderBy !== undefined && orderBy !== 'urgency' && orderBy !== 'changed')
    throw badRequest('spec.orderBy must be urgency or changed');
  return {
    text: typeof text === 'string' ? text : '',
    states: [...new Set(wanted as ObjectState[])],
    namespace: typeof namespace === 'string' ? namespace : '',
    except: new Set(Array.isArray(except) ? except : []),
    isByChange: orderBy === 'changed',
    limit: Number(limit),
  };
}

function timeoutOf({ timeoutSeconds = maxTimeoutSeconds }: ObjectSearchSpec): number {
  if (Number.isInteger(timeoutSeconds) && Number(timeoutSeconds) >= 0 && Number(timeoutSeconds) <= maxTimeoutSeconds)
    return Number(timeoutSeconds);
  throw badRequest(`spec.timeoutSeconds must be an integer from 0 to ${maxTimeoutSeconds}`);
}

async function searchAll(call: Call, searches: readonly Search[]): Promise<readonly SearchResult[]> {
  const byNamespace = new Map<string, Promise<readonly Target[]>>();
  const results: SearchResult[] = [];
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

/** The first objects of each collection, and of those the first ones. */
async function searchTargets(
  call: Call,
  targets: readonly Target[],
  { text, states, except, isByChange, limit }: Search,
): Promise<SearchResult> {
  const pace = new Pace();
  const endsAt = performance.now() + maxWaitMs;
  const candidates: Candidate[] = [];
  let total = 0;
  let isIncomplete = false;
  for (const target of targets) {
    if (except.has(resourceName(target))) continue;
    if (pace.isDue) await pace.rest();
    const found = await call.calls.browse(target, {
      search: text,
      states,
      sort: { type: isByChange ? 'changed' : 'urgency' },
      isDescending: false,
      offset: 0,
      limit,
      maxWaitMs: Math.max(0, endsAt - performance.now()),
    });
    isIncomplete ||= found?.isIncomplete ?? true;
    total += found?.total ?? 0;
    candidates.push(...(found?.entries ?? []).map(entry => ({ target, entry })));
  }
  const order = compareFound(isByChange);
  const first = candidates.toSorted((one, other) => order(one.entry, other.entry)).slice(0, limit);
  const items = (await Promise.all(first.map(candidate => read(call, candidate)))).flat();
  return { items, total, ...(isIncomplete ? { isIncomplete } : {}) };
}

const resourceName = ({ resource: { kind } }: Target): string =>
  [kind.groupResource.resource, kind.group].filter(part => part !== '').join('.');

/** What was changed last first, or by urgency before that. */
const compareFound =
  (isByChange: boolean) =>
  (one: Entry, other: Entry): number =>
    (isByChange ? 0 : objectStates.indexOf(one.state) - objectStates.indexOf(other.state)) ||
    other.changedAtMs - one.changedAtMs;

async function read(call: Call, { target, entry }: Candidate): Promise<readonly object[]> {
  const served = await call.calls.readEntries(target, [entry]);
  return served.map(({ object }) => foundOf(target, object));
}

function foundOf(target: Target, object: KubeObject): object {
  const { kind, version } = target.resource;
  const { name, namespace } = object.metadata;
  const displayName = displayNameOf(object);
  return {
    group: kind.group,
    version: version.name,
    plural: kind.groupResource.resource,
    kind: kind.kind,
    ...(namespace && { namespace }),
    name,
    ...(displayName !== undefined && displayName !== name && { displayName }),
    ...situationOf(object),
    changedAt: changedAtOf(object),
  };
}
