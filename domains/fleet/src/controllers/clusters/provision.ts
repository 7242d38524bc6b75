import type { StepResult } from '@chandlery/runtime';
import { providedCluster } from './cluster-deps.ts';
import type { ClusterStep } from './cluster-draft.ts';

const pollMs = 500;

/** Asks the provider for the cluster. */
export const create: ClusterStep = async (draft, { providers }): Promise<StepResult> => {
  if (draft.status.state !== 'cluster_accepted') return 'continue';
  await providers[draft.row.spec.providerType].create(providedCluster(draft.row));
  draft.moveTo('cluster_provisioning');
  return 'continue';
};

/** Waits until the provider has made it. */
export const awaitProvisioned: ClusterStep = async (draft, { providers }): Promise<StepResult> => {
  if (draft.status.state !== 'cluster_provisioning') return 'continue';
  const provider = providers[draft.row.spec.providerType];
  const cluster = providedCluster(draft.row);
  // A cluster of the document may begin here.
  await provider.create(cluster);
  const provided = await provider.status(cluster);
  switch (provided.type) {
    case 'pending':
      draft.lack('Provisioned', 'Pending', provided.message);
      return { retryAfterMs: pollMs };
    case 'failed':
      draft.lack('Provisioned', 'Failed', provided.message);
      draft.moveTo('failed', { failedReason: provided.message });
      return 'stop';
    case 'ready':
      draft.fulfil('Provisioned', 'Available');
      draft.moveTo('cluster_provisioned', provided.clusterDns === undefined ? {} : { clusterDns: provided.clusterDns });
      return 'continue';
  }
};
