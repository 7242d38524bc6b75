import type { StepResult } from '@chandlery/runtime';
import type { Provider } from '../../kinds/index.ts';
import { buildAccess } from '../../model/operator/access-objects.ts';
import { initRights } from '../../model/operator/access-rules.ts';
import type { OperatorDeps } from './operator-deps.ts';

/** Keeps the account of the init job. */
export async function ensureInitAccess(provider: Provider, deps: OperatorDeps): Promise<StepResult> {
  const { providerClass } = deps;
  const rights = initRights(providerClass, provider.metadata.name ?? '');
  await deps.apply(buildAccess(providerClass, provider, { part: 'init-job', rights }));
  return 'continue';
}
