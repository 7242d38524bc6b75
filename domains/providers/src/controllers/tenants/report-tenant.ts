import type { KubeObject } from '@chandlery/api';
import { isDeleting, type StatedCondition, type Step, type StepResult, setCondition } from '@chandlery/runtime';
import type { Tenant } from '../../kinds/index.ts';
import type { TenantDeps } from './tenant-deps.ts';

/** Reports why a tenant is not ready, and stops the steps. */
export function notReady(tenant: Tenant, why: Omit<StatedCondition, 'type' | 'status'>, now: Date): StepResult {
  const { reason, message = '' } = why;
  stateReady(tenant, { status: 'False', reason, message }, now);
  return 'stop';
}

/** Reports the tenant ready. */
export const reportReady: Step<Tenant, TenantDeps> = function reportReady(tenant, _deps, { now }) {
  stateReady(tenant, { status: 'True', reason: 'Available' }, now);
  return 'continue';
};

/** Sets `Ready` and the phase that follows from it. */
export function stateReady(object: KubeObject, ready: Omit<StatedCondition, 'type'>, now: Date): void {
  setCondition(object, { ...ready, type: 'Ready' }, now);
  const living = ready.status === 'True' ? 'Ready' : 'Progressing';
  object['status'] = { ...(object['status'] as object), phase: isDeleting(object) ? 'Terminating' : living };
}
