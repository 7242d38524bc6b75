import { isConditionTrue, type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { Provider } from '../../kinds/index.ts';
import { resourcesOf } from '../../model/operator/own-kinds.ts';
import { type Remaining, stayText } from '../../model/operator/remaining.ts';
import { checkApi } from './check-api.ts';
import { checkShared } from './check-shared.ts';
import { ensureRun } from './ensure-run.ts';
import type { OperatorDeps } from './operator-deps.ts';
import { setPhase } from './report.ts';
import { reportReady } from './report-ready.ts';

/**
 * Waits until nothing depends on the provider, and keeps it running until then: only it can delete what it has created.
 * Called before and after the run part is removed: dependants that were created in between bring the run part back.
 */
export async function waitForTenants(
  provider: Provider,
  deps: OperatorDeps,
  context: StepContext,
): Promise<StepResult> {
  await deps.endOwnObjects(provider);
  const remaining = await deps.listDependants(provider);
  if (remaining.length === 0) return 'continue';
  deps.followDependants(provider);
  setCondition(provider, remain(remaining), context.now);
  if (hasServed(provider, deps)) await keepServing(provider, deps, context);
  setPhase(provider, 'Terminating');
  return 'stop';
}

const remain = (remaining: readonly Remaining[]) =>
  ({
    type: 'Uninstalled',
    status: 'False',
    reason: 'TenantObjectsRemain',
    message: stayText(remaining),
  }) as const;

/** A provider whose init never succeeded has nothing to keep running. */
const hasServed = (provider: Provider, deps: OperatorDeps): boolean =>
  isConditionTrue(provider, 'Initialized') || resourcesOf(provider).length > 0 || deps.hasDeployment(provider);

async function keepServing(provider: Provider, deps: OperatorDeps, context: StepContext): Promise<void> {
  await checkApi(provider, deps, context);
  await ensureRun(provider, deps, context);
  await checkShared(provider, deps, context);
  reportReady(provider, deps, context);
}
