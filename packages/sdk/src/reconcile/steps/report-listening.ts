import type { StepResult } from '@chandlery/runtime';
import type { ServiceObject } from '../../definition/service-kind.ts';
import { type ReconcileScope, statusOf } from '../reconcile-scope.ts';

/** Reports where the service takes connections. What was reported stays while the service is temporarily not ready. */
export async function reportListening(_object: ServiceObject, scope: ReconcileScope): Promise<StepResult> {
  const { listens, isReady } = scope.observation ?? {};
  if (listens !== undefined) statusOf(scope).listens = listens;
  else if (isReady !== false) delete statusOf(scope).listens;
  return 'continue';
}
