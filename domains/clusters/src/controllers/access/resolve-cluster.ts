import type { StepContext, StepResult } from '@chandlery/runtime';
import type { AccessRequest } from '../../kinds/index.ts';
import { judgeRequest } from '../../model/access/standing.ts';
import type { RequestNeeds } from './request-needs.ts';
import { stateStanding } from './state-standing.ts';

/** Settles which cluster a request is about. From then on the ClusterRequest does not matter any more. */
export function resolveCluster(request: AccessRequest, needs: RequestNeeds, context: StepContext): StepResult {
  const { clusterRef, requestRef } = request.spec;
  if (clusterRef !== undefined) return 'continue';
  // The kind's schema wants one of both.
  if (requestRef === undefined) return 'stop';
  const judged = judgeRequest(requestRef, needs.clusterRequest(requestRef));
  if (!('cluster' in judged)) return stateStanding(request, judged, context);
  request.spec.clusterRef = judged.cluster;
  return 'continue';
}
