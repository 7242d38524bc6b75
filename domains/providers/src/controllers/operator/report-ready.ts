import { findCondition, isConditionTrue, type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { Provider } from '../../kinds/index.ts';
import { decisionNeeded } from '../../model/operator/leftovers.ts';
import { livenessExpiresInMs } from '../../model/operator/liveness.ts';
import { sharedReady } from './check-shared.ts';
import type { OperatorDeps } from './operator-deps.ts';
import { reportProviderReady, setPhase } from './report.ts';

/** Reports readiness: the API is served, the run part is available, and what tenants share is ready. */
export function reportReady(provider: Provider, deps: OperatorDeps, { now }: StepContext): StepResult {
  reportLeftovers(provider, deps, now);
  const shared = findCondition(provider, sharedReady) === undefined ? [] : [sharedReady];
  const blocking = ['Initialized', 'APIReady', 'RunReady', ...shared].find(type => !isConditionTrue(provider, type));
  if (blocking !== undefined) {
    const message = findCondition(provider, blocking)?.message || `${blocking} is not true yet.`;
    setCondition(provider, { type: 'Ready', status: 'False', reason: 'ProviderNotReady', message }, now);
    const hasFailed = findCondition(provider, blocking)?.reason === 'RolloutFailed';
    setPhase(provider, hasFailed ? 'Failed' : 'Progressing');
    return 'continue';
  }
  reportProviderReady(provider, deps, now);
  const retryAfterMs = livenessExpiresInMs(deps.findLiveness(provider), now);
  return retryAfterMs === undefined ? 'continue' : { retryAfterMs };
}

/** Reports requests of deleted service objects that need a decision. Other providers do not get the condition. */
function reportLeftovers(provider: Provider, deps: Pick<OperatorDeps, 'ownRequests'>, now: Date): void {
  const message = decisionNeeded(deps.ownRequests(provider));
  const type = 'LeftoversFound';
  if (message !== undefined) setCondition(provider, { type, status: 'True', reason: 'DecisionNeeded', message }, now);
  else if (isConditionTrue(provider, type))
    setCondition(provider, { type, status: 'False', reason: 'NothingLeft' }, now);
}
