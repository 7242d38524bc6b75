import type { StepContext, StepResult } from '@chandlery/runtime';
import type { AccessRequest } from '../../kinds/index.ts';
import { judgeRequest } from '../../model/access/standing.ts';
import type { RequestDeps } from './request-deps.ts';
import { stateStanding } from './state-standing.ts';

/** Determines the cluster of a request. From then on the ClusterRequest does not matter. */
export function resolveCluster(request: AccessRequest, deps: RequestDeps, context: StepContext): StepResult {
  const { clusterRef, requestRef } = request.spec;
  if (clusterRef !== undefined) return 'continue';
  // The schema of the kind requires one of both.
  if (requestRef === undefined) return 'stop';
  const judged = judgeRequest(requestRef, deps.clusterRequest(requestRef));
  if (!('cluster' in judged)) return stateStanding(request, judged, context);
  request.spec.clusterRef = judged.cluster;
  return 'continue';
}
