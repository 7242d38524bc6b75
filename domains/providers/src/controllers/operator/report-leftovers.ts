import { isConditionTrue, setCondition } from '@chandlery/runtime';
import type { Provider } from '../../kinds/index.ts';
import { decisionNeeded } from '../../model/operator/leftovers.ts';
import type { OperatorDeps } from './operator-deps.ts';

/** Reports requests of deleted service objects that need a decision. Other providers do not get the condition. */
export function reportLeftovers(provider: Provider, deps: Pick<OperatorDeps, 'ownRequests'>, now: Date): void {
  const message = decisionNeeded(deps.ownRequests(provider));
  const type = 'LeftoversFound';
  if (message !== undefined) setCondition(provider, { type, status: 'True', reason: 'DecisionNeeded', message }, now);
  else if (isConditionTrue(provider, type))
    setCondition(provider, { type, status: 'False', reason: 'NothingLeft' }, now);
}
