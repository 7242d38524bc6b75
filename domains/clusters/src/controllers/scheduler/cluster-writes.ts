import { ChandleryError, isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { type Cluster, clusters } from '../../kinds/cluster.ts';
import { type ClusterRequest, clusterRequests } from '../../kinds/cluster-request.ts';
import { isHeldBy } from '../../model/scheduling/holds.ts';
import type { ClusterCache } from './cluster-cache.ts';
import type { SchedulerDeps } from './scheduler-deps.ts';

const namespaces = { group: '', version: 'v1', plural: 'namespaces' };
const fieldManager = 'scheduler';

type Writes = Pick<SchedulerDeps, 'createCluster' | 'writeMetadata' | 'deleteCluster' | 'confirmLetGo' | 'areGone'>;
type PlatformClient = Pick<Client, 'create' | 'get' | 'patch' | 'delete' | 'listAll'>;

/** The scheduler's writes: each fails if the decision is outdated, and returns when the cache shows it. */
export const clusterWrites = (client: PlatformClient, cache: ClusterCache): Writes => ({
  createCluster: async (cluster, signal) => {
    await createIn(client, cluster, signal);
    await cache.untilChanged(cluster, undefined, signal);
  },
  writeMetadata: async (cluster, metadata, signal) => {
    const { uid, resourceVersion } = cluster.metadata;
    const body = { metadata: { ...structuredClone(metadata), uid, resourceVersion } } as never;
    await client.patch(refTo(cluster), { type: 'merge', body }, { fieldManager, signal });
    await cache.untilChanged(cluster, resourceVersion, signal);
  },
  deleteCluster: async (cluster, signal) => {
    const { uid = '', resourceVersion = '' } = cluster.metadata;
    await client.delete(refTo(cluster), { preconditions: { uid, resourceVersion }, signal });
    await cache.untilChanged(cluster, resourceVersion, signal);
  },
  confirmLetGo: async ({ metadata, status }, signal) => {
    if (status?.cluster === undefined) return;
    const found = await unlessMissing(client.get<Cluster>({ ...clusters.ref, ...status.cluster }, { signal }));
    if (found !== undefined && isHeldBy(found, metadata.uid ?? '')) throw overtaken('the cluster is still held');
  },
  areGone: async (requestUids, signal) => {
    if (requestUids.length === 0) return true;
    for await (const { metadata } of client.listAll<ClusterRequest>(clusterRequests.ref, { signal, limit: 500 })) {
      if (requestUids.includes(metadata.uid ?? '')) return false;
    }
    return true;
  },
});

export const refTo = ({ metadata: { name = '', namespace = '' } }: Cluster): ObjectRef => ({
  ...clusters.ref,
  namespace,
  name,
});

async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isError(error, 'NotFound')) return undefined;
    throw error;
  }
}

async function createIn(client: PlatformClient, cluster: Cluster, signal: AbortSignal): Promise<void> {
  const { name, namespace = '' } = cluster.metadata;
  const create = (): Promise<Cluster> =>
    client.create({ ...clusters.ref, namespace }, cluster, { fieldManager, signal });
  try {
    await create();
  } catch (error) {
    if (isError(error, 'AlreadyExists')) throw overtaken(`cluster ${namespace}/${name} exists already`, error);
    if (!isError(error, 'NotFound')) throw error;
    await createNamespace(client, namespace, signal);
    await create();
  }
}

/** A template may name a namespace that does not exist yet. */
async function createNamespace(client: PlatformClient, name: string, signal: AbortSignal): Promise<void> {
  const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  try {
    await client.create(namespaces, namespace, { fieldManager, signal });
  } catch (error) {
    if (!isError(error, 'AlreadyExists')) throw error;
  }
}

/** The error of an outdated decision, which is made again. */
export const overtaken = (why: string, cause?: unknown): ChandleryError =>
  new ChandleryError('Conflict', why, { cause });
