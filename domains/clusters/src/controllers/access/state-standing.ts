import { findCondition, isConditionTrue, type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { AccessRequest } from '../../kinds/index.ts';
import { clusterNames } from '../../kinds/names.ts';
import { acceptedCondition, phaseAfter, type Verdict } from '../../model/access/standing.ts';
import { lifetimeOf, msToExpiry } from '../../model/access/ttl.ts';

/** Reports a verdict in phase and conditions, and requeues the request when it expires. */
export function stateStanding(request: AccessRequest, verdict: Verdict, context: StepContext): StepResult {
  const { now, isRequested } = context;
  const { generation } = request.metadata;
  const { phase, observedGeneration } = request.status ?? {};
  const isCurrent = observedGeneration === generation;
  const wasAccepted = isConditionTrue(request, acceptedCondition);
  const next = phaseAfter(verdict, { phase, isCurrent, wasAccepted, isRequested });
  const isReopened = next === 'Pending' && (phase !== next || !wasAccepted || !isCurrent);
  // The provider owns the phase of an accepted request.
  if (next !== phase || !isCurrent) request.status = { ...request.status, phase: next, observedGeneration: generation };
  stateConditions(request, { verdict, isReopened }, now);
  return atExpiry(request, now);
}

/** Requeues the request when it expires, if ever. */
export function atExpiry({ spec, metadata }: AccessRequest, now: Date): StepResult {
  const retryAfterMs = msToExpiry(lifetimeOf(spec.ttl, metadata.creationTimestamp), now);
  return retryAfterMs === undefined ? 'stop' : { retryAfterMs };
}

function stateConditions(
  request: AccessRequest,
  { verdict, isReopened }: { readonly verdict: Verdict; readonly isReopened: boolean },
  now: Date,
): void {
  if (verdict.type !== 'accepted') {
    const { reason, message } = verdict;
    setCondition(request, { type: acceptedCondition, status: 'False', reason, message }, now);
    setCondition(request, { type: 'Ready', status: 'False', reason, message }, now);
    return;
  }
  setCondition(request, { type: acceptedCondition, status: 'True', reason: 'Accepted' }, now);
  if (!isReopened && findCondition(request, 'Ready') !== undefined) return;
  const provider = request.metadata.labels?.[clusterNames.providerLabel] ?? '';
  const message = `The cluster provider "${provider}" has not answered yet; is it running?`;
  setCondition(request, { type: 'Ready', status: 'Unknown', reason: 'WaitingForProvider', message }, now);
}
