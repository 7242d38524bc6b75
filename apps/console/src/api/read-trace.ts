import type { KubeObject } from '@chandlery/api';
import type { Cluster } from '@chandlery/clusters/kinds';
import {
  type ClusterObjects,
  clustersBehind,
  logicalNameOf,
  onboardingName,
  platformName,
  type ReadClient,
  readCluster,
  type TraceNode,
  traceObject,
} from '@chandlery/sdk/trace';
import { ApiFailure } from './api-failure.ts';
import { collectionPath } from './kinds.ts';
import { request, requestJson } from './request.ts';

/** What an object caused, and the clusters that the user may not read. */
export interface Trace {
  readonly node: TraceNode;
  readonly hidden: readonly string[];
  /** Under which name a cluster is served here; undefined when it is served elsewhere. Others have their own name. */
  readonly addresses: ReadonlyMap<string, string | undefined>;
}

/** Reads the clusters that an object may have put something on, and builds its tree. */
export async function readTrace(cluster: string, object: KubeObject): Promise<Trace> {
  const landscape = new Map<string, ClusterObjects>();
  const hidden: string[] = [];
  const read = async (name: string, address: string | undefined): Promise<void> => {
    const objects = address === undefined ? undefined : await readIfAllowed(address);
    if (objects === undefined) hidden.push(name);
    else landscape.set(name, objects);
  };
  await Promise.all([...new Set([cluster, onboardingName, platformName])].map(name => read(name, name)));
  // The API of a tenant is a view of the onboarding cluster and stands for it.
  const place = hidden.includes(onboardingName) ? onboardingName : cluster;
  const own = landscape.get(cluster);
  if (place !== cluster && own !== undefined) landscape.set(place, own);
  const root = { cluster: place, object };
  const behind = clustersBehind(root, landscape.get(platformName)).filter(
    ({ metadata }) => !landscape.has(metadata.name ?? ''),
  );
  const addresses = new Map<string, string | undefined>(
    behind.map(found => [found.metadata.name ?? '', addressOf(found)]),
  );
  if (place !== cluster) addresses.set(place, cluster);
  await Promise.all(
    [...addresses].filter(([name]) => !landscape.has(name)).map(([name, address]) => read(name, address)),
  );
  return { node: traceObject(root, landscape), hidden: hidden.toSorted(), addresses };
}

/** A browser reads clusters that this landscape serves; others it cannot reach. */
const addressOf = (cluster: Cluster): string | undefined =>
  cluster.spec.profile === 'external' ? undefined : logicalNameOf(cluster);

async function readIfAllowed(cluster: string): Promise<ClusterObjects | undefined> {
  try {
    return await readCluster(readClientOf(cluster));
  } catch (error) {
    if (error instanceof ApiFailure && [401, 403, 404].includes(error.status)) return undefined;
    throw error;
  }
}

const pageSize = 500;

/** The client of a cluster that `readCluster` needs, over the browser's own HTTP. */
const readClientOf = (cluster: string): ReadClient => ({
  raw: path => request(`/clusters/${encodeURIComponent(cluster)}${path}`, { isQuietOn401: true }),
  async *listAll<T extends KubeObject>(ref: Parameters<ReadClient['listAll']>[0]) {
    let next: string | undefined;
    do {
      const page = await requestJson<{ items: T[]; metadata: { continue?: string } }>(
        collectionPath(cluster, ref, ref.namespace),
        { query: { limit: pageSize, continue: next } },
      );
      yield* page.items;
      next = page.metadata.continue;
    } while (next !== undefined && next !== '');
  },
});
