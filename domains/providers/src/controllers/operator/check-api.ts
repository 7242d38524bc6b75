import { type StatedCondition, type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { Provider } from '../../kinds/index.ts';
import { missingKinds, resourcesOf } from '../../model/operator/own-kinds.ts';
import { holdApi } from './hold-api.ts';
import type { OperatorDeps } from './operator-deps.ts';

/** Keeps the definitions of the provider, and checks whether the kinds that it reports are served. */
export async function checkApi(provider: Provider, deps: OperatorDeps, { now }: StepContext): Promise<StepResult> {
  const state = (await holdApi(provider, deps)) ?? apiState(provider, deps);
  setCondition(provider, { type: 'APIReady', ...state }, now);
  return 'continue';
}

function apiState(provider: Provider, deps: OperatorDeps): Omit<StatedCondition, 'type'> {
  if (deps.providerClass.prefix !== 'sp') return { status: 'True', reason: 'NoTenantKinds' };
  const resources = resourcesOf(provider);
  if (resources.length === 0) {
    const message = 'Init has reported no kinds in status.resources; see the log of the init job.';
    return { status: 'False', reason: 'KindsUnknown', message };
  }
  const missing = missingKinds(resources, deps.onboardingDefinitions());
  if (missing.length === 0) return { status: 'True', reason: 'KindsServed' };
  const message = `The onboarding cluster does not serve ${missing.join(', ')}; annotate the provider with openmcp.cloud/operation=reconcile to run init again.`;
  return { status: 'False', reason: 'KindsNotServed', message };
}
