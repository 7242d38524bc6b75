import { type StepResult, setController } from '@chandlery/runtime';
import type { Tenant } from '../../kinds/index.ts';
import { membersOf } from '../../model/tenants/members.ts';
import { bindingsInside, rightsOnTenant } from '../../model/tenants/tenant-objects.ts';
import type { TenantNeeds } from './tenant-needs.ts';

/** Gives members their rights: in the tenant's namespace, and on the tenant itself. */
export async function ensureMembers(tenant: Tenant, needs: TenantNeeds): Promise<StepResult> {
  const placement = needs.place(tenant);
  if (placement.type === 'refused') return 'stop';
  const members = membersOf(tenant, needs.config());
  for (const desired of bindingsInside(needs.level, placement.place, members)) await needs.apply(desired);
  for (const desired of rightsOnTenant(tenant, members)) {
    setController(desired.object, tenant);
    await needs.apply(desired);
  }
  return 'continue';
}
