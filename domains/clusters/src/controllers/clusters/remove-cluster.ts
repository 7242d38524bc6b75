import { type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { Cluster } from '../../kinds/cluster.ts';
import { clusterNames } from '../../kinds/names.ts';
import { holdersOf } from '../../model/scheduling/holds.ts';
import type { ClusterDeps } from './cluster-deps.ts';

/** Keeps the cluster until only our own finalizer is left. */
export function awaitRelease(cluster: Cluster, _deps: ClusterDeps, { now }: StepContext): StepResult {
  const others = (cluster.metadata.finalizers ?? []).filter(name => name !== clusterNames.clusterFinalizer);
  const isHeld = others.length > 0;
  const message = isHeld ? heldBy(cluster, others) : 'The cluster is being removed.';
  const reason = isHeld ? 'WaitingForRelease' : 'Removing';
  setCondition(cluster, { type: 'Ready', status: 'False', reason, message }, now);
  cluster.status = { ...cluster.status, phase: 'Terminating' };
  return isHeld ? 'stop' : 'continue';
}

function heldBy(cluster: Cluster, finalizers: readonly string[]): string {
  const requests = holdersOf(cluster).length;
  const rest = finalizers.filter(name => !name.startsWith(clusterNames.requestFinalizerPrefix)).sort();
  const holders = [
    ...(requests > 0 ? [`${requests} ${requests === 1 ? 'ClusterRequest' : 'ClusterRequests'}`] : []),
    ...(rest.length > 0 ? [`the finalizers ${rest.join(', ')}`] : []),
  ];
  return `The cluster is still needed by ${holders.join(' and ')}; it goes when they do.`;
}

/** Removes the cluster at its source. Without a source, nothing can be removed. */
export async function removeCluster(cluster: Cluster, deps: ClusterDeps, { signal }: StepContext): Promise<StepResult> {
  const isGone = await (deps.sourceOf(cluster)?.remove(cluster, signal) ?? true);
  return isGone ? 'continue' : { retryAfterMs: 2000 };
}
