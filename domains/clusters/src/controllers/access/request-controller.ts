import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { type Controller, createController } from '@chandlery/runtime';
import {
  type AccessRequest,
  accessRequests,
  type Cluster,
  type ClusterProfile,
  type ClusterRequest,
} from '../../kinds/index.ts';
import { acceptRequest } from './accept-request.ts';
import { related, type SharedControllerOptions } from './access-controller-options.ts';
import type { AccessInformers } from './access-informers.ts';
import { expireRequest } from './expire-request.ts';
import type { RequestDeps } from './request-deps.ts';
import { resolveCluster } from './resolve-cluster.ts';

/**
 * Creates the controller that resolves the cluster and the provider of every request, of any provider, and deletes
 * expired requests.
 */
export function createRequestController(
  platform: Client,
  informers: AccessInformers,
  parts: SharedControllerOptions,
): Controller {
  const { requests, clusterRequests, clusters, profiles, requestsOf } = informers;
  return createController<AccessRequest, RequestDeps>({
    ...parts,
    name: 'access-requests',
    client: platform,
    for: { ref: accessRequests.ref, informer: requests },
    watches: [
      related<ClusterRequest>(clusterRequests, requestsOf.clusterRequest),
      related<Cluster>(clusters, requestsOf.cluster),
      related<ClusterProfile>(profiles, requestsOf.profile),
    ],
    steps: [expireRequest, resolveCluster, acceptRequest],
    needs: {
      clusterRequest: ({ namespace, name }) => clusterRequests.get(namespace, name),
      cluster: ({ namespace, name }) => clusters.get(namespace, name),
      profile: name => profiles.get(undefined, name),
      deleteRequest: (request, signal) => deleteRequest(platform, request, signal),
    },
    // The provider sets both: the status describes what the provider observed.
    syncedCondition: false,
    hasObservedGeneration: false,
  });
}

async function deleteRequest(platform: Client, { metadata }: AccessRequest, signal: AbortSignal): Promise<void> {
  const { name = '', namespace, uid } = metadata;
  try {
    await platform.delete({ ...accessRequests.ref, name, namespace }, { preconditions: { uid }, signal });
  } catch (error) {
    if (!isError(error, 'NotFound')) throw error;
  }
}
