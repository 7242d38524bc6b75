import { ChandleryError, isError, type KubeObject } from '@chandlery/api';
import { createClient, type HttpClient, loadKubeconfig } from '@chandlery/client';
import type { Cluster } from '@chandlery/clusters/kinds';
import {
  ClusterObjects,
  clustersBehind,
  type Landscape,
  onboardingName,
  type Placed,
  platformName,
  readCluster,
  type TraceTarget,
} from '@chandlery/sdk/trace';
import type { CommandContext } from '../command.ts';
import { clusterOfServer, contextConnectionOf } from '../landscape/connect.ts';
import { connectTo } from '../landscape/connect-to.ts';
import { discoverKinds, findKind, type ServedKind } from '../resources/discover.ts';

/** The part of a landscape from which a trace starts, as far as the caller may read it. */
export interface Centre {
  readonly landscape: Landscape;
  /** Clusters that the caller may not read. */
  readonly hidden: readonly string[];
  readonly kinds: readonly ServedKind[];
}

interface ReadCluster {
  readonly name: string;
  /** Undefined when the caller may not read it. */
  readonly objects: ClusterObjects | undefined;
  readonly kinds: readonly ServedKind[];
  /** Why it cannot be read. */
  readonly rejection?: ChandleryError;
}

/**
 * What is on the platform and the onboarding cluster: enough to find most objects. A tenant reads the API of its
 * project, which is a view of the onboarding cluster and stands for it. When the target is in the namespace of a tenant,
 * only this namespace is read there: what a tenant has ordered is in it, but for instances of the fleet.
 */
export async function readCentre(context: CommandContext, target?: TraceTarget): Promise<Centre> {
  const own = clusterOfServer(contextConnectionOf(context).server);
  const names = [...new Set([onboardingName, platformName, ...(own === undefined ? [] : [own])])];
  const read = await Promise.all(names.map(name => readLogical(context, name, target)));
  const readable = read.filter(({ objects }) => objects !== undefined);
  if (readable.length === 0) throw nothingReadable(read);
  const hidden = read.filter(({ objects }) => objects === undefined).map(({ name }) => name);
  const landscape = new Map<string, ClusterObjects>();
  for (const { name, objects } of readable) {
    const place = name === own && hidden.includes(platformName) ? onboardingName : name;
    landscape.set(place, merged(landscape.get(place), objects as ClusterObjects));
  }
  return { landscape, hidden, kinds: readable.flatMap(({ kinds }) => kinds) };
}

/** Credentials that no cluster accepts are not valid; those that one accepts lack rights. */
export function nothingReadable(
  rejected: readonly { readonly name: string; readonly rejection?: ChandleryError }[],
): ChandleryError {
  const [first] = rejected;
  if (first?.rejection !== undefined && rejected.every(({ rejection }) => isError(rejection, 'Unauthorized')))
    return first.rejection;
  const names = rejected.map(({ name }) => name).join(', ');
  return new ChandleryError('Forbidden', `these credentials may read none of the clusters ${names}`);
}

async function readLogical(context: CommandContext, name: string, target?: TraceTarget): Promise<ReadCluster> {
  await using client = connectTo(context, name);
  try {
    const kinds = await discoverKinds(client);
    const found = name === platformName || target === undefined ? undefined : await findTarget(client, kinds, target);
    const only = found === undefined ? undefined : tenantScopeOf(found);
    const objects = await readCluster(client, { fallback: context.flags.text('namespace'), only });
    if (found === undefined || only === undefined) return { name, kinds, objects };
    return { name, kinds, objects: merged(objects, new ClusterObjects(await fleetInstanceOf(client, kinds, found))) };
  } catch (thrown) {
    if (!isError(thrown, 'Unauthorized', 'Forbidden')) throw thrown;
    return { name, kinds: [], objects: undefined, rejection: thrown };
  }
}

/** Objects of the landscape itself are in several namespaces. */
const sharedNamespaces: readonly string[] = ['service-manager', 'fleet', 'default', 'openmcp-system'];

function tenantScopeOf({ metadata: { namespace } }: KubeObject): string | undefined {
  return namespace === undefined || sharedNamespaces.includes(namespace) ? undefined : namespace;
}

/** The target by its name, or by the one that its spec gives it. Undefined when it is not found, or not alone. */
async function findTarget(
  client: HttpClient,
  kinds: readonly ServedKind[],
  { kind: word, name, namespace }: TraceTarget,
): Promise<KubeObject | undefined> {
  try {
    const { ref, kind, isNamespaced } = findKind(word, kinds);
    if (!isNamespaced) return undefined;
    const place = { ...ref, ...(namespace !== undefined && { namespace }) };
    const { items: named } = await client.list(place, { fieldSelector: `metadata.name=${name}` });
    const found = named.length > 0 ? named : await givenName(client, place, name);
    const [first, ...others] = found;
    return first === undefined || others.length > 0 ? undefined : { ...first, kind };
  } catch (error) {
    if (isError(error)) return undefined;
    throw error;
  }
}

async function givenName(client: HttpClient, place: ServedKind['ref'], name: string): Promise<KubeObject[]> {
  const found: KubeObject[] = [];
  for await (const object of client.listAll<KubeObject & { spec?: { name?: unknown } }>(place))
    if (object.spec?.name === name) found.push(object);
  return found;
}

/** The instance of the fleet that a service instance is: those of the REST API are in a namespace of their own. */
async function fleetInstanceOf(
  client: HttpClient,
  kinds: readonly ServedKind[],
  { kind, metadata: { name = '' } }: KubeObject,
): Promise<KubeObject[]> {
  const fleet = kinds.find(served => served.kind === 'FleetInstance');
  if (kind !== 'ServiceInstance' || fleet === undefined) return [];
  try {
    const object = await client.get({ ...fleet.ref, namespace: 'fleet', name });
    return [{ ...object, kind: fleet.kind }];
  } catch (error) {
    if (isError(error, 'NotFound', 'Forbidden')) return [];
    throw error;
  }
}

function merged(first: ClusterObjects | undefined, second: ClusterObjects): ClusterObjects {
  if (first === undefined) return second;
  return new ClusterObjects([...first.all, ...second.all.filter(({ metadata }) => !first.has(metadata.uid ?? ''))]);
}

/** The centre with the clusters that an object may have put something on; without an object, with all of them. */
export async function readAround(
  context: CommandContext,
  centre: Landscape,
  root: Placed | undefined,
): Promise<Landscape> {
  const behind = clustersBehind(root, centre.get(platformName));
  const chosen = behind.filter(({ metadata }) => !centre.has(metadata.name ?? ''));
  const read = await Promise.all(
    chosen.map(async cluster => [cluster.metadata.name ?? '', await readOther(context, cluster)] as const),
  );
  return new Map([...centre, ...read.filter(([, objects]) => objects !== undefined)] as [string, ClusterObjects][]);
}

/** A cluster that cannot be read is left out: a trace shows what there is. */
async function readOther(context: CommandContext, cluster: Cluster): Promise<ClusterObjects | undefined> {
  try {
    await using client = await openCluster(context, cluster);
    return await readCluster(client);
  } catch (error) {
    context.stderr.write(`cannot look into cluster "${cluster.metadata.name}": ${(error as Error).message}\n`);
    return undefined;
  }
}

/** A client of a cluster that the platform cluster names. */
export async function openCluster(context: CommandContext, { metadata, spec, status }: Cluster): Promise<HttpClient> {
  const logical = status?.endpoints?.[0]?.url.split('/clusters/')[1];
  if (spec.profile !== 'external' && logical !== undefined) return connectTo(context, logical);
  await using platform = connectTo(context, platformName);
  const { data } = await platform.get<{ data?: Record<string, string> } & Cluster>({
    group: '',
    version: 'v1',
    plural: 'secrets',
    namespace: metadata.namespace ?? '',
    name: spec.clusterConfigs?.[0]?.name ?? '',
  });
  return createClient(loadKubeconfig(Buffer.from(data?.['kubeconfig'] ?? '', 'base64').toString()));
}
