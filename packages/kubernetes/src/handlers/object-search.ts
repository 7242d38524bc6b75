import { badRequest, isError, type KubeObject, type ObjectState, objectStates, situationOf } from '@chandlery/api';
import type { CompiledKind, ServedKind, Target } from '@chandlery/kernel';
import { Pace } from '@chandlery/platform';
import type { Call } from '../call.ts';
import { displayNameOf, textFilter } from './object-filter.ts';
import { Ranking } from './ranking.ts';

interface SearchSpec {
  readonly text?: unknown;
  readonly states?: unknown;
  readonly namespace?: unknown;
  readonly orderBy?: unknown;
  readonly limit?: unknown;
}

interface Search {
  readonly matches: (object: KubeObject) => boolean;
  readonly states: ReadonlySet<string>;
  /** Empty: all. */
  readonly namespace: string;
  readonly isByChange: boolean;
  readonly limit: number;
}

const defaultLimit = 50;
const maxLimit = 500;
/** One search examines no more objects than this; it then says that it is incomplete. */
const maxExamined = 50_000;

/** Kinds that change all the time and are about other objects. */
const noise = new Set(['/events', 'coordination.k8s.io/leases', '/endpoints', 'discovery.k8s.io/endpointslices']);

/** Searches the objects of all kinds that the caller may list. */
export async function searchObjects(call: Call, { spec }: KubeObject): Promise<object> {
  const search = searchOf(spec ?? {});
  const ranking = new Ranking<object>(search.limit);
  const pace = new Pace();
  let total = 0;
  let examined = 0;
  for (const target of await visibleTargets(call, search.namespace)) {
    const { items, rest } = await call.calls.list(target, {});
    for await (const piece of piecesOf(items, rest)) {
      for (const { object } of piece) {
        if (pace.isDue) await pace.rest();
        examined += 1;
        const found = findIn(target, object, search);
        if (found === undefined) continue;
        total += 1;
        ranking.add(found, rankOf(found, search));
      }
      if (examined >= maxExamined) return { items: ranking.first(), total, isIncomplete: true };
    }
  }
  return { items: ranking.first(), total };
}

async function* piecesOf<T>(first: readonly T[], rest: AsyncIterable<readonly T[]> | undefined) {
  yield first;
  yield* rest ?? [];
}

function searchOf({ text, states, namespace, orderBy, limit = defaultLimit }: SearchSpec): Search {
  const wanted: readonly unknown[] = Array.isArray(states) ? states : [];
  const unknown = wanted.find(state => !objectStates.includes(state as ObjectState));
  if (unknown !== undefined) throw badRequest(`spec.states may contain ${objectStates.join(', ')}`);
  if (!Number.isInteger(limit) || Number(limit) < 1 || Number(limit) > maxLimit)
    throw badRequest(`spec.limit must be an integer from 1 to ${maxLimit}`);
  if (orderBy !== undefined && orderBy !== 'urgency' && orderBy !== 'changed')
    throw badRequest('spec.orderBy must be urgency or changed');
  return {
    matches: textFilter(typeof text === 'string' ? text : ''),
    states: new Set(wanted as string[]),
    namespace: typeof namespace === 'string' ? namespace : '',
    isByChange: orderBy === 'changed',
    limit: Number(limit),
  };
}

/** The collections with objects that the caller may list, or the parts of them that the caller sees. */
async function visibleTargets(call: Call, namespace: string): Promise<readonly Target[]> {
  const { kernel, home, kinds, view } = call;
  if (namespace !== '' && view !== undefined && !(await view.hasNamespace(namespace))) return [];
  const filled = new Set((await kernel.store.collections(home)).map(({ resource }) => resource));
  const targets = [...kinds.all()]
    .filter(({ kind }) => isSearched(kind) && filled.has(kind.resource) && (namespace === '' || kind.isNamespaced))
    .map(served => visibleTarget(call, served, namespace));
  return (await Promise.all(targets)).filter(target => target !== undefined);
}

/** Kinds that are stored as another one would be found twice. */
const isSearched = (kind: CompiledKind): boolean =>
  kind.stored === kind && kind.verbs.includes('list') && !noise.has(kind.resource);

async function visibleTarget(call: Call, served: ServedKind, namespace: string): Promise<Target | undefined> {
  const { kernel, home, view, user, access, kinds } = call;
  const { kind } = served;
  const versions = [kind.storageVersion, ...kind.versions.values()];
  const version = versions.find(({ isServed }) => isServed);
  if (version === undefined) return undefined;
  const target = { cluster: home, resource: { ...served, version }, namespace, name: '' };
  const attributes = { verb: 'list', ...kind.groupResource, namespace };
  try {
    if (view === undefined) {
      const visibility = await kernel.authorize({ user, access, cluster: home }, attributes);
      return visibility === undefined ? target : { ...target, visibility };
    }
    if (!(await view.allows(access, user, attributes, kinds))) return undefined;
    const visibility = namespace === '' ? await view.visibility(kind, user, 'list', kinds) : undefined;
    return visibility === undefined ? target : { ...target, visibility };
  } catch (error) {
    if (isError(error, 'Forbidden')) return undefined;
    throw error;
  }
}

interface Found {
  readonly state: ObjectState;
  readonly changedAt: string;
}

function findIn(target: Target, object: KubeObject, { matches, states }: Search): Found | undefined {
  if (!matches(object)) return undefined;
  const situation = situationOf(object);
  if (states.size > 0 && !states.has(situation.state)) return undefined;
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
    ...situation,
    changedAt: changedAt(object),
  } as Found;
}

/** The time of the last change: field owners keep it; objects without them were changed when they were created. */
function changedAt({ metadata: { creationTimestamp = '', managedFields = [] } }: KubeObject): string {
  return managedFields.reduce((latest, { time = '' }) => (time > latest ? time : latest), creationTimestamp);
}

/** Larger than any time in milliseconds. */
const urgencyStep = 1e14;

const rankOf = ({ state, changedAt: time }: Found, { isByChange }: Search): number => {
  const age = -Date.parse(time) || 0;
  return isByChange ? age : objectStates.indexOf(state) * urgencyStep + age;
};
