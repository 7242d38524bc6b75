import { findCondition, type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { Provider } from '../../kinds/index.ts';
import { readShared } from '../../model/operator/shared-state.ts';
import type { OperatorDeps } from './operator-deps.ts';

/** The condition for what all tenants share. A provider that shares nothing does not get it. */
export const sharedReady = 'SharedReady';

/** Reports the readiness of what all tenants share, without which a running provider does not serve. */
export async function checkShared(provider: Provider, deps: OperatorDeps, { now }: StepContext): Promise<StepResult> {
  deps.followConfigs(provider);
  const state = readShared(await deps.findConfigs(provider));
  switch (state.type) {
    case 'unready': {
      const { message } = state;
      setCondition(provider, { type: sharedReady, status: 'False', reason: 'SharedServiceNotReady', message }, now);
      break;
    }
    case 'ready':
      setCondition(provider, { type: sharedReady, status: 'True', reason: 'SharedServiceReady' }, now);
      break;
    case 'untold':
      if (findCondition(provider, sharedReady) !== undefined)
        setCondition(provider, { type: sharedReady, status: 'True', reason: 'NothingShared' }, now);
  }
  return 'continue';
}
