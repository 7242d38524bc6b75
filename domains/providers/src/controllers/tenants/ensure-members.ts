import { type StepResult, setController } from '@chandlery/runtime';
import type { Tenant } from '../../kinds/index.ts';
import { membersOf } from '../../model/tenants/members.ts';
import { bindingsInside, rightsOnTenant } from '../../model/tenants/tenant-objects.ts';
import type { TenantDeps } from './tenant-deps.ts';

/** Gives members their rights: in the tenant's namespace, and on the tenant itself. */
export async function ensureMembers(tenant: Tenant, deps: TenantDeps): Promise<StepResult> {
  const placement = deps.place(tenant);
  if (placement.type === 'refused') return 'stop';
  const members = membersOf(tenant, deps.config());
  for (const desired of bindingsInside(deps.level, placement.place, members)) await deps.apply(desired);
  for (const desired of rightsOnTenant(tenant, members)) {
    setController(desired.object, tenant);
    await deps.apply(desired);
  }
  return 'continue';
}
