import type { StepResult } from '@chandlery/runtime';
import type { Provider } from '../../kinds/index.ts';
import { buildAccess } from '../../model/operator/access-objects.ts';
import { initRights } from '../../model/operator/access-rules.ts';
import type { OperatorNeeds } from './needs.ts';

/** Keeps the account of the init job. */
export async function ensureInitAccess(provider: Provider, needs: OperatorNeeds): Promise<StepResult> {
  const { providerClass } = needs;
  const rights = initRights(providerClass, provider.metadata.name ?? '');
  await needs.apply(buildAccess(providerClass, provider, { part: 'init-job', rights }));
  return 'continue';
}
