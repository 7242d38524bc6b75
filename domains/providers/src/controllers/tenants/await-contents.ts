import { removeCondition, type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { Tenant } from '../../kinds/index.ts';
import { namespaceState } from '../../model/tenants/namespace-state.ts';
import { listRemaining, type Remaining, remainingEntry, sortRemaining } from '../../model/tenants/remaining.ts';
import { stateReady } from './report-tenant.ts';
import type { TenantDeps } from './tenant-deps.ts';

/** Waits until the tenant's namespace has no blocking objects. Deletes nothing. */
export async function awaitContents(tenant: Tenant, deps: TenantDeps, { now }: StepContext): Promise<StepResult> {
  const remaining = await findRemaining(tenant, deps);
  if (remaining.length > 0) return stillThere(tenant, remaining, now);
  removeCondition(tenant, 'ContentRemaining');
  const { remaining: _, ...status } = tenant.status ?? {};
  tenant.status = status;
  return 'continue';
}

async function findRemaining(tenant: Tenant, deps: TenantDeps): Promise<Remaining[]> {
  const placement = deps.place(tenant);
  if (placement.type === 'refused') return [];
  const { namespace, labels } = placement.place;
  // Objects in a namespace of another owner are not waited for, and their names are not disclosed.
  if (namespaceState(await deps.findNamespace(namespace), labels) === 'foreign') return [];
  const remaining: Remaining[] = [];
  for (const kind of deps.blockingKinds()) {
    const objects = await deps.listIn(namespace, kind);
    remaining.push(...objects.map(object => remainingEntry(kind, object)));
  }
  return sortRemaining(remaining);
}

function stillThere(tenant: Tenant, remaining: Remaining[], now: Date): StepResult {
  const message = `It goes when these are deleted: ${listRemaining(remaining)}.`;
  const reason = 'SomeResourcesRemain';
  tenant.status = { ...tenant.status, remaining };
  setCondition(tenant, { type: 'ContentRemaining', status: 'True', reason, message }, now);
  stateReady(tenant, { status: 'False', reason, message }, now);
  return 'stop';
}
