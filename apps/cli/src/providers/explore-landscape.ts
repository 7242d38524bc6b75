import { type ChandleryError, isError, type KubeObject } from '@chandlery/api';
import type { HttpClient } from '@chandlery/client';
import { type Cluster, clusterRequests, clusters } from '@chandlery/clusters/kinds';
import {
  type ExploredTrace,
  exploreTrace,
  type FoundObjects,
  lookupPath,
  type ObjectLookup,
  onboardingName,
  type Placed,
  platformName,
  readCluster,
  readLookup,
  type TraceSource,
  type TraceTarget,
} from '@chandlery/sdk/trace';
import type { CommandContext } from '../command.ts';
import { clusterOfServer, contextConnectionOf } from '../landscape/connect.ts';
import { connectTo } from '../landscape/connect-to.ts';
import { discoverKinds, findKind, type ServedKind } from '../resources/discover.ts';
import { nothingReadable, openCluster } from './read-landscape.ts';

/** The clusters in which most objects are found, and what was found there. */
export interface SearchedCentre {
  /** Undefined when it is on none of them, or when several objects could be meant. */
  readonly root: Placed | undefined;
  /** Clusters that the caller may not read. */
  readonly hidden: readonly string[];
  /** Under which name a cluster of the trace is served: a tenant's own API stands for the onboarding cluster. */
  readonly addresses: ReadonlyMap<string, string>;
}

interface SearchedCluster {
  readonly name: string;
  /** Undefined when the caller may not read it. */
  readonly found: readonly KubeObject[] | undefined;
  /** Why it cannot be read. */
  readonly rejection?: ChandleryError;
}

/** Looks for an object on the caller's own cluster, the onboarding cluster and the platform cluster. */
export async function searchCentre(context: CommandContext, target: TraceTarget): Promise<SearchedCentre> {
  const own = clusterOfServer(contextConnectionOf(context).server);
  const names = [...new Set([onboardingName, platformName, ...(own === undefined ? [] : [own])])];
  const searched = await Promise.all(names.map(name => searchCluster(context, name, target)));
  const hidden = searched.filter(({ found }) => found === undefined).map(({ name }) => name);
  if (hidden.length === names.length) throw nothingReadable(searched);
  const standsForOnboarding = (name: string): boolean => name === own && hidden.includes(platformName);
  const placeOf = (name: string): string => (standsForOnboarding(name) ? onboardingName : name);
  const addresses = new Map(
    searched.filter(({ found }) => found !== undefined).map(({ name }) => [placeOf(name), name] as const),
  );
  const candidates = searched.flatMap(({ name, found = [] }) =>
    found.map(object => ({ cluster: placeOf(name), object })),
  );
  const different = new Map(candidates.map(placed => [placed.object.metadata.uid ?? '', placed]));
  const wanted = [...different.values()].filter(({ cluster }) => [undefined, cluster].includes(target.cluster));
  return { root: wanted.length === 1 ? wanted[0] : undefined, hidden, addresses };
}

async function searchCluster(context: CommandContext, name: string, target: TraceTarget): Promise<SearchedCluster> {
  await using client = connectTo(context, name);
  try {
    return { name, found: await findObjects(client, await discoverKinds(client), target) };
  } catch (thrown) {
    if (!isError(thrown, 'Unauthorized', 'Forbidden')) throw thrown;
    return { name, found: undefined, rejection: thrown };
  }
}

/** The objects of a name, or, when there is none, of a name that people gave them. */
async function findObjects(
  client: HttpClient,
  kinds: readonly ServedKind[],
  { kind: word, name, namespace }: TraceTarget,
): Promise<readonly KubeObject[]> {
  const served = kindOf(word, kinds);
  if (served === undefined) return [];
  const { ref, kind, isNamespaced } = served;
  const place = { ...ref, ...(isNamespaced && namespace !== undefined ? { namespace } : {}) };
  try {
    const { items: named } = await client.list(place, { fieldSelector: `metadata.name=${name}` });
    const found = named.length > 0 ? named : await listGiven(client, place, name);
    const apiVersion = ref.group === '' ? ref.version : `${ref.group}/${ref.version}`;
    return found.map(object => ({ ...object, apiVersion, kind }));
  } catch (error) {
    // Who may read the cluster may not be allowed to list this kind.
    if (isError(error, 'NotFound', 'MethodNotAllowed', 'Forbidden')) return [];
    throw error;
  }
}

function kindOf(word: string, kinds: readonly ServedKind[]): ServedKind | undefined {
  try {
    return findKind(word, kinds);
  } catch {
    return undefined;
  }
}

/** How many objects with a text in their names are looked at for one of just that name. */
const maxGiven = 500;

async function listGiven(client: HttpClient, ref: ServedKind['ref'] & { readonly namespace?: string }, name: string) {
  const root = ref.group === '' ? `/api/${ref.version}` : `/apis/${ref.group}/${ref.version}`;
  const path = `${root}${ref.namespace === undefined ? '' : `/namespaces/${ref.namespace}`}/${ref.plural}`;
  const response = await client.raw(path, { query: { search: name, limit: maxGiven } });
  const { items } = (await response.json()) as { items: readonly (KubeObject & { spec?: { name?: unknown } })[] };
  return items.filter(({ spec }) => spec?.name === name);
}

/** Reads what an object caused, on whichever clusters the caller may read. */
export async function exploreLandscape(
  context: CommandContext,
  root: Placed,
  { addresses }: Pick<SearchedCentre, 'addresses'>,
): Promise<ExploredTrace> {
  await using stack = new AsyncDisposableStack();
  const clients = new Map<string, Promise<HttpClient>>();
  const clientOf = (name: string, cluster: Cluster | undefined): Promise<HttpClient> => {
    const opened = clients.get(name) ?? open(name, cluster);
    clients.set(name, opened);
    return opened;
  };
  const open = async (name: string, cluster: Cluster | undefined): Promise<HttpClient> =>
    stack.use(
      cluster === undefined || addresses.has(name)
        ? connectTo(context, addresses.get(name) ?? name)
        : await openCluster(context, cluster),
    );
  const source: TraceSource = {
    lookUp: async (name, lookup, cluster) => {
      try {
        return await lookUp(await clientOf(name, cluster), lookup);
      } catch (error) {
        if (cluster === undefined && isError(error, 'Unauthorized', 'Forbidden')) return undefined;
        // A cluster that cannot be read is left out: a trace shows what there is.
        context.stderr.write(`cannot look into cluster "${name}": ${(error as Error).message}\n`);
        return { objects: [], isWhole: true };
      }
    },
    listPlatform: async plural => {
      const kind = [clusterRequests, clusters].find(({ ref }) => ref.plural === plural);
      if (kind === undefined || !addresses.has(platformName)) return [];
      return Array.fromAsync((await clientOf(platformName, undefined)).listAll(kind.ref));
    },
  };
  return await exploreTrace(root, source);
}

/** A cluster that is not served by a landscape knows no lookups: all of it is read. */
async function lookUp(client: HttpClient, lookup: ObjectLookup): Promise<FoundObjects> {
  try {
    const send = async (body: object) => {
      const headers = { 'content-type': 'application/json' };
      const response = await client.raw(lookupPath, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await response.json()) as { status?: object };
    };
    return { objects: await readLookup(lookup, send) };
  } catch (error) {
    if (!isError(error, 'NotFound')) throw error;
    return { objects: (await readCluster(client)).all, isWhole: true };
  }
}
