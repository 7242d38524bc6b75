import type { KubeObject } from '@chandlery/api';
import { isDeleting, type StatedCondition, type Step, type StepResult, setCondition } from '@chandlery/runtime';
import type { Tenant } from '../../kinds/index.ts';
import type { TenantDeps } from './tenant-deps.ts';

/** Says why a tenant is not ready, and ends the pass: something has to change first. */
export function notReady(tenant: Tenant, why: Omit<StatedCondition, 'type' | 'status'>, now: Date): StepResult {
  const { reason, message = '' } = why;
  stateReady(tenant, { status: 'False', reason, message }, now);
  return 'stop';
}

/** All is there. */
export const reportReady: Step<Tenant, TenantDeps> = function reportReady(tenant, _deps, { now }) {
  stateReady(tenant, { status: 'True', reason: 'Available' }, now);
  return 'continue';
};

/** States `Ready` and what follows from it: the phase. */
export function stateReady(object: KubeObject, ready: Omit<StatedCondition, 'type'>, now: Date): void {
  setCondition(object, { ...ready, type: 'Ready' }, now);
  const living = ready.status === 'True' ? 'Ready' : 'Progressing';
  object['status'] = { ...(object['status'] as object), phase: isDeleting(object) ? 'Terminating' : living };
}
