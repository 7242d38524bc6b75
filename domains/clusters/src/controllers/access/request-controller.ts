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
import type { AccessInformers } from './access-informers.ts';
import { type ControllerParts, related } from './controller-parts.ts';
import { expireRequest } from './expire-request.ts';
import type { RequestNeeds } from './request-needs.ts';
import { resolveCluster } from './resolve-cluster.ts';

/** Makes the controller that finds the cluster and the provider of every request, whoever that is, and lets requests expire. */
export function createRequestController(
  platform: Client,
  informers: AccessInformers,
  parts: ControllerParts,
): Controller {
  const { requests, clusterRequests, clusters, profiles, requestsOf } = informers;
  return createController<AccessRequest, RequestNeeds>({
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
    // Both are the provider's to tell: the status is about what it has seen.
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
