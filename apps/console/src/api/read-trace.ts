import type { KubeObject } from '@chandlery/api';
import type { Cluster } from '@chandlery/clusters/kinds';
import {
  exploreTrace,
  type FoundObjects,
  logicalNameOf,
  lookupPath,
  type ObjectLookup,
  onboardingName,
  platformName,
  readLookup,
  type TraceNode,
  type TraceSource,
  traceObject,
} from '@chandlery/sdk/trace';
import { ApiFailure } from './api-failure.ts';
import { clusterPath, collectionPath } from './kinds.ts';
import { requestJson } from './request.ts';

/** What an object caused, and the clusters that the user may not read. */
export interface Trace {
  readonly node: TraceNode;
  readonly hidden: readonly string[];
  /** Under which name a cluster is served here; undefined when it is served elsewhere. Others have their own name. */
  readonly addresses: ReadonlyMap<string, string | undefined>;
}

/** Reads what an object caused, on whichever clusters, and builds its tree. */
export async function readTrace(cluster: string, object: KubeObject, signal: AbortSignal): Promise<Trace> {
  // The API of a tenant is a view of the onboarding cluster and stands for it.
  const place = (await isView(cluster, signal)) ? onboardingName : cluster;
  const addressFor = (name: string, found: Cluster | undefined): string | undefined =>
    name === place ? cluster : found === undefined ? name : addressOf(found);
  const source: TraceSource = {
    lookUp: async (name, lookup, found) => {
      const address = addressFor(name, found);
      return address === undefined ? undefined : lookUp(address, lookup, signal);
    },
    listPlatform: plural => listPlatform(plural, signal),
  };
  const { landscape, hidden, clusters } = await exploreTrace({ cluster: place, object }, source);
  const addresses = new Map<string, string | undefined>(
    clusters.map(found => [found.metadata.name ?? '', addressOf(found)]),
  );
  if (place !== cluster) addresses.set(place, cluster);
  return { node: traceObject({ cluster: place, object }, landscape), hidden, addresses };
}

/** A browser reads clusters that this landscape serves; others it cannot reach. */
const addressOf = (cluster: Cluster): string | undefined =>
  cluster.spec.profile === 'external' ? undefined : logicalNameOf(cluster);

/** Whose members may not read the onboarding cluster: they see their part of it. */
async function isView(cluster: string, signal: AbortSignal): Promise<boolean> {
  if (cluster === onboardingName || cluster === platformName) return false;
  const anything = { objects: [{ group: '', kind: 'Namespace', name: 'default' }] };
  return (await lookUp(onboardingName, anything, signal)) === undefined;
}

/** Undefined: the user may not read the cluster. */
async function lookUp(cluster: string, lookup: ObjectLookup, signal: AbortSignal): Promise<FoundObjects | undefined> {
  const path = `${clusterPath(cluster)}${lookupPath}`;
  return unlessHidden(async () => ({
    objects: await readLookup(lookup, body => requestJson(path, { method: 'POST', body, signal, isQuietOn401: true })),
  }));
}

const clustersGroup = { group: 'clusters.openmcp.cloud', version: 'v1alpha1' };

async function listPlatform(plural: string, signal: AbortSignal): Promise<readonly KubeObject[]> {
  const path = collectionPath(platformName, { ...clustersGroup, plural });
  const list = await unlessHidden(() =>
    requestJson<{ readonly items: readonly KubeObject[] }>(path, { signal, isQuietOn401: true }),
  );
  return list?.items ?? [];
}

async function unlessHidden<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ApiFailure && [401, 403, 404].includes(error.status)) return undefined;
    throw error;
  }
}
