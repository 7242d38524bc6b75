import { createHash } from 'node:crypto';
import { isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import {
  type AccessRequest,
  accessRequests,
  type ClusterRequest,
  clusterRequests,
  shorten,
  systemNamespace,
} from '@chandlery/clusters/kinds';
import { fleetClusterLabel } from '../../kinds/index.ts';
import type { ClusterProvider, ProvidedCluster, ProvidedState } from '../../ports.ts';

/** What clusters of the landscape are made of. */
export interface LandscapeProviderOptions {
  /** Of the platform cluster. */
  readonly platform: Client;
  /** The purpose of the ClusterRequests. Default `fleet`. */
  readonly purpose?: string;
  /** The base of the clusters' routes. */
  readonly clusterDns: string;
}

const secrets = { group: '', version: 'v1', plural: 'secrets' };

/** Clusters of the landscape itself: a ClusterRequest each, and an AccessRequest for its agent. */
export function createLandscapeProvider(options: LandscapeProviderOptions): ClusterProvider {
  const { platform, purpose = 'fleet', clusterDns } = options;
  return {
    create: async cluster => {
      const name = requestName(cluster);
      await createIfAbsent(
        platform,
        clusterRequests,
        clusterRequests.object(
          { name, namespace: systemNamespace, labels: { [fleetClusterLabel]: shorten(cluster.name) } },
          { purpose },
        ),
      );
    },
    status: async cluster => stateOf(await find<ClusterRequest>(platform, requestAt(cluster)), clusterDns),
    kubeconfig: async cluster => {
      await createIfAbsent(platform, accessRequests, accessRequest(requestName(cluster)));
      const access = await find<AccessRequest>(platform, accessAt(cluster));
      const name = access?.status?.phase === 'Granted' ? access.status.secretRef?.name : undefined;
      const secret = name && (await find<KubeObject>(platform, { ...secrets, namespace: systemNamespace, name }));
      const data = secret
        ? (secret['data'] as Readonly<Record<string, string>> | undefined)?.['kubeconfig']
        : undefined;
      return data === undefined ? undefined : Buffer.from(data, 'base64').toString();
    },
    delete: async cluster => {
      const places = [accessAt(cluster), requestAt(cluster)];
      for (const place of places) await deleteIfPresent(platform, place);
      const left = await Promise.all(places.map(place => find(platform, place)));
      return left.every(object => object === undefined);
    },
  };
}

/** Names of objects are shorter than ids may be. */
const requestName = ({ name, clusterId }: ProvidedCluster): string =>
  `fleet-${clusterId.slice(0, 24)}-${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;

const requestAt = (cluster: ProvidedCluster): ObjectRef => ({
  ...clusterRequests.ref,
  namespace: systemNamespace,
  name: requestName(cluster),
});

const accessAt = (cluster: ProvidedCluster): ObjectRef => ({
  ...accessRequests.ref,
  namespace: systemNamespace,
  name: requestName(cluster),
});

const accessRequest = (name: string): AccessRequest =>
  accessRequests.object(
    { name, namespace: systemNamespace },
    {
      requestRef: { name, namespace: systemNamespace },
      token: { roleRefs: [{ kind: 'ClusterRole', name: 'cluster-admin' }] },
    },
  );

function stateOf(request: ClusterRequest | undefined, clusterDns: string): ProvidedState {
  const phase = request?.status?.phase;
  if (phase === 'Granted') return { type: 'ready', clusterDns };
  const reasons = request?.status?.conditions
    ?.filter(({ status }) => status !== 'True')
    .map(({ message = '' }) => message);
  const message = reasons?.join('; ') || 'the cluster has not been granted yet';
  return { type: phase === 'Denied' ? 'failed' : 'pending', message };
}

async function createIfAbsent(
  client: Client,
  { ref }: typeof clusterRequests | typeof accessRequests,
  object: KubeObject,
): Promise<void> {
  await client.create({ ...ref, namespace: systemNamespace }, object).catch((error: unknown) => {
    if (!isError(error, 'AlreadyExists')) throw error;
  });
}

async function deleteIfPresent(client: Client, place: ObjectRef): Promise<void> {
  await client.delete(place).catch((error: unknown) => {
    if (!isError(error, 'NotFound')) throw error;
  });
}

async function find<T extends KubeObject>(client: Client, place: ObjectRef): Promise<T | undefined> {
  try {
    return await client.get<T>(place);
  } catch (error) {
    if (isError(error, 'NotFound')) return undefined;
    throw error;
  }
}
