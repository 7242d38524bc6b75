import { findCondition, isConditionTrue, type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { Provider } from '../../kinds/index.ts';
import { sharedReady } from './check-shared.ts';
import type { OperatorDeps } from './operator-deps.ts';
import { isNewReason, setPhase } from './report.ts';
import { reportLeftovers } from './report-leftovers.ts';

/** Reports readiness: the API is served, the run part is available, and what tenants share is ready. */
export function reportReady(provider: Provider, deps: OperatorDeps, { now }: StepContext): StepResult {
  reportLeftovers(provider, deps, now);
  const shared = findCondition(provider, sharedReady) === undefined ? [] : [sharedReady];
  const blocking = ['Initialized', 'APIReady', 'RunReady', ...shared].find(type => !isConditionTrue(provider, type));
  if (blocking !== undefined) {
    const message = findCondition(provider, blocking)?.message || `${blocking} is not true yet.`;
    setCondition(provider, { type: 'Ready', status: 'False', reason: 'ProviderNotReady', message }, now);
    setPhase(provider, 'Progressing');
    return 'continue';
  }
  if (isNewReason(provider, 'Ready', 'ProviderReady')) {
    const message = `${provider.kind} ${provider.metadata.name} is ready.`;
    deps.record(provider, { type: 'Normal', reason: 'ProviderReady', message });
  }
  setCondition(provider, { type: 'Ready', status: 'True', reason: 'ProviderReady' }, now);
  setPhase(provider, 'Ready');
  return 'continue';
}
