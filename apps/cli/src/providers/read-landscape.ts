import { ChandleryError, isError } from '@chandlery/api';
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
} from '@chandlery/sdk/trace';
import type { CommandContext } from '../command.ts';
import { clusterOfServer, contextConnectionOf } from '../landscape/connect.ts';
import { connectTo } from '../landscape/connect-to.ts';
import { discoverKinds, type ServedKind } from '../resources/discover.ts';

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
}

/**
 * What is on the platform and the onboarding cluster: enough to find most objects. A tenant reads the API of its
 * project, which is a view of the onboarding cluster and stands for it.
 */
export async function readCentre(context: CommandContext): Promise<Centre> {
  const own = clusterOfServer(contextConnectionOf(context).server);
  const names = [...new Set([onboardingName, platformName, ...(own === undefined ? [] : [own])])];
  const read = await Promise.all(names.map(name => readLogical(context, name)));
  const readable = read.filter(({ objects }) => objects !== undefined);
  if (readable.length === 0) throw nothingReadable(names);
  const hidden = read.filter(({ objects }) => objects === undefined).map(({ name }) => name);
  const landscape = new Map<string, ClusterObjects>();
  for (const { name, objects } of readable) {
    const place = name === own && hidden.includes(platformName) ? onboardingName : name;
    landscape.set(place, merged(landscape.get(place), objects as ClusterObjects));
  }
  return { landscape, hidden, kinds: readable.flatMap(({ kinds }) => kinds) };
}

const nothingReadable = (names: readonly string[]): ChandleryError =>
  new ChandleryError('Forbidden', `these credentials may read none of the clusters ${names.join(', ')}`);

async function readLogical(context: CommandContext, name: string): Promise<ReadCluster> {
  await using client = connectTo(context, name);
  try {
    const kinds = await discoverKinds(client);
    return { name, kinds, objects: await readCluster(client, context.flags.text('namespace')) };
  } catch (thrown) {
    if (!isError(thrown, 'Unauthorized', 'Forbidden')) throw thrown;
    return { name, kinds: [], objects: undefined };
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
    await using client = await open(context, cluster);
    return await readCluster(client);
  } catch (error) {
    context.stderr.write(`cannot look into cluster "${cluster.metadata.name}": ${(error as Error).message}\n`);
    return undefined;
  }
}

async function open(context: CommandContext, { metadata, spec, status }: Cluster): Promise<HttpClient> {
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
