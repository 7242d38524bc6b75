import { isConditionTrue, type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { Provider } from '../../kinds/index.ts';
import { resourcesOf } from '../../model/operator/own-kinds.ts';
import { type Remaining, stayText } from '../../model/operator/remaining.ts';
import { checkApi } from './check-api.ts';
import { checkShared } from './check-shared.ts';
import { ensureRun } from './ensure-run.ts';
import type { OperatorNeeds } from './needs.ts';
import { reportReady } from './report-ready.ts';

/**
 * Waits until nobody needs the provider any more, and keeps it running so long: only it can delete what it has made.
 * Called twice, before the run part goes and when it is gone: what was made in between brings the run part back.
 */
export async function waitForTenants(
  provider: Provider,
  needs: OperatorNeeds,
  context: StepContext,
): Promise<StepResult> {
  await needs.endOwnObjects(provider);
  const remaining = await needs.listDependants(provider);
  if (remaining.length === 0) return 'continue';
  needs.followDependants(provider);
  setCondition(provider, remain(remaining), context.now);
  if (hasServed(provider, needs)) await keepServing(provider, needs, context);
  return 'stop';
}

const remain = (remaining: readonly Remaining[]) =>
  ({
    type: 'Uninstalled',
    status: 'False',
    reason: 'TenantObjectsRemain',
    message: stayText(remaining),
  }) as const;

/** One whose init never succeeded has nothing that could be kept running. */
const hasServed = (provider: Provider, needs: OperatorNeeds): boolean =>
  isConditionTrue(provider, 'Initialized') || resourcesOf(provider).length > 0 || needs.hasDeployment(provider);

async function keepServing(provider: Provider, needs: OperatorNeeds, context: StepContext): Promise<void> {
  await checkApi(provider, needs, context);
  await ensureRun(provider, needs, context);
  await checkShared(provider, needs, context);
  reportReady(provider, needs, context);
}
