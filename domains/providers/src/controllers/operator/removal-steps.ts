import { isError, toError } from '@chandlery/api';
import { type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { Provider } from '../../kinds/index.ts';
import { someNames } from '../../model/operator/remaining.ts';
import type { OperatorDeps } from './operator-deps.ts';
import { isNewReason, setPhase } from './report.ts';

/** Removes the run part: the Deployment, and an init in progress, which would create the API again. */
export function removeRun(provider: Provider, deps: OperatorDeps, { now }: StepContext): Promise<StepResult> {
  if (isNewReason(provider, 'Uninstalled', 'Uninstalling') && isNewReason(provider, 'Uninstalled', 'UninstallFailed')) {
    const message = `${provider.kind} ${provider.metadata.name} is being uninstalled: it is not used any more.`;
    deps.record(provider, { type: 'Normal', reason: 'Uninstalling', message });
  }
  return carryOut(provider, { what: 'run part', now, remove: () => deps.removeRun(provider) });
}

/** Removes the kinds that init has installed, on both clusters. */
export function removeApi(provider: Provider, deps: OperatorDeps, { now }: StepContext): Promise<StepResult> {
  deps.unfollowDependants(provider);
  return carryOut(provider, { what: 'API part', now, remove: () => deps.removeApi(provider) });
}

/** Deletes the provider's requests for clusters and access. */
export function removeRequests(provider: Provider, deps: OperatorDeps, { now }: StepContext): Promise<StepResult> {
  return carryOut(provider, { what: 'access to clusters', now, remove: () => deps.removeRequests(provider) });
}

/** Removes metrics, rights and accounts; the provider can then be deleted. */
export async function removeRest(provider: Provider, deps: OperatorDeps, { now }: StepContext): Promise<StepResult> {
  const remove = () => deps.removeRest(provider);
  const result = await carryOut(provider, { what: 'accounts and rights', now, remove });
  if (result === 'continue') {
    const message = `${provider.kind} ${provider.metadata.name} is uninstalled.`;
    deps.record(provider, { type: 'Normal', reason: 'Uninstalled', message });
  }
  return result;
}

interface RemovalStep {
  readonly what: string;
  readonly now: Date;
  readonly remove: () => Promise<readonly string[]>;
}

async function carryOut(provider: Provider, { what, now, remove }: RemovalStep): Promise<StepResult> {
  try {
    const left = await remove();
    if (left.length === 0) return 'continue';
    const message = `Removing the ${what}: waiting until ${someNames(left, left.length)} are deleted.`;
    reportStep(provider, { reason: 'Uninstalling', message }, now);
    return 'stop';
  } catch (thrown) {
    if (isError(thrown, 'Conflict')) throw thrown;
    const message = `The ${what} cannot be removed: ${toError(thrown).message}`;
    reportStep(provider, { reason: 'UninstallFailed', message }, now);
    throw thrown;
  }
}

function reportStep(provider: Provider, step: { readonly reason: string; readonly message: string }, now: Date): void {
  const message = 'The provider is being uninstalled.';
  setCondition(provider, { type: 'Uninstalled', status: 'False', ...step }, now);
  setCondition(provider, { type: 'RunReady', status: 'False', reason: 'Uninstalling', message }, now);
  setCondition(provider, { type: 'Ready', status: 'False', reason: 'ProviderNotReady', message }, now);
  setPhase(provider, 'Uninstalling');
}
