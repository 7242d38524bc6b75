import { hasFinalizer, type StepContext, type StepResult } from '@chandlery/runtime';
import type { AccessRequest } from '../../kinds/index.ts';
import { clusterNames } from '../../kinds/names.ts';
import { judgeCluster, judgeProvider } from '../../model/access/standing.ts';
import type { RequestDeps } from './request-deps.ts';
import { stateStanding } from './state-standing.ts';

/** Labels a request with the provider of its cluster, and hands it to that provider once the cluster is ready. */
export function acceptRequest(request: AccessRequest, deps: RequestDeps, context: StepContext): StepResult {
  const { clusterRef } = request.spec;
  if (clusterRef === undefined) return 'stop';
  const cluster = deps.cluster(clusterRef);
  const judged = judgeProvider(clusterRef, cluster, deps.profile(cluster?.spec.profile ?? ''));
  if (!('labels' in judged) || cluster === undefined) {
    return 'labels' in judged ? 'stop' : stateStanding(request, judged, context);
  }
  request.metadata.labels = { ...request.metadata.labels, ...judged.labels };
  // Our provider adds its finalizer before it changes the cluster; others at least report when they have.
  const hasServed = hasFinalizer(request, clusterNames.accessFinalizer) || request.status?.phase === 'Granted';
  return stateStanding(request, judgeCluster(clusterRef, cluster, hasServed), context);
}
