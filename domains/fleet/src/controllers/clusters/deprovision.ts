import type { StepResult } from '@chandlery/runtime';
import { indexTerm } from '../../registry/fleet-registry.ts';
import { providedCluster } from './cluster-deps.ts';
import type { ClusterStep } from './cluster-draft.ts';

const pollMs = 500;

/** Returns to ready when an instance has arrived meanwhile; otherwise removes the agent and the cluster. */
export const deprovision: ClusterStep = async (draft, { registry, providers, installer }): Promise<StepResult> => {
  if (draft.status.state !== 'deprovisioning') return 'continue';
  const { product, clusterId, providerType } = draft.row.spec;
  if (registry.instances.count('cluster', indexTerm(product, clusterId)) > 0) {
    draft.moveTo('ready');
    return 'stop';
  }
  draft.lack('Ready', 'Deprovisioning');
  const cluster = providedCluster(draft.row);
  const isAgentGone = providerType === 'standalone' || (await installer.remove(cluster));
  const isGone = isAgentGone && (await providers[providerType].delete(cluster));
  if (!isGone) return { retryAfterMs: pollMs };
  draft.moveTo('cleanup');
  return 'continue';
};

/** Removes the row: nothing is left that belongs to it, and its id may be used again. */
export const cleanUp: ClusterStep = draft => {
  if (draft.status.state !== 'cleanup') return 'continue';
  draft.remove();
  return 'stop';
};
