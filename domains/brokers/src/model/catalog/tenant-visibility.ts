import { globalTenant, ownPlatformId } from '../../kinds/index.ts';
import type { PlanRow, Registry, VisibilityRow } from '../rows.ts';
import { isGrantedByOwner } from './is-plan-visible.ts';
import { planSupportsPlatform } from './plan-supports-platform.ts';

/** The label of a visibility that narrows it to some tenants. */
const tenantLabel = 'tenant';

/** The service manager as a platform. */
const ownPlatform = { id: ownPlatformId, spec: { name: ownPlatformId, type: ownPlatformId } };

/** Whether a plan's metadata allows the service manager's own platform. */
export function supportsOwnPlatform(plan: PlanRow, ownPlatformTypes: readonly string[]): boolean {
  return planSupportsPlatform(plan, ownPlatform, ownPlatformTypes);
}

/**
 * Whether a tenant may create instances of a plan through the service manager itself: the plan belongs to the landscape
 * or the tenant and supports the own platform, and its owner or the operator has opened it to all platforms or to the
 * own one, there for all tenants or for this one (label `tenant`).
 */
export function isPlanVisibleToTenant(
  registry: Registry,
  plan: PlanRow,
  { tenant, ownPlatformTypes }: { readonly tenant: string; readonly ownPlatformTypes: readonly string[] },
): boolean {
  if (plan.tenant !== globalTenant && plan.tenant !== tenant) return false;
  if (!supportsOwnPlatform(plan, ownPlatformTypes)) return false;
  for (const grant of registry.visibilities.by('planId', plan.id)) {
    if (isGrantedByOwner(plan, grant) && opensTo(grant, tenant)) return true;
  }
  return false;
}

function opensTo({ spec }: VisibilityRow, tenant: string): boolean {
  const { platformId = '', labels = {} } = spec;
  if (platformId === '') return true;
  if (platformId !== ownPlatformId) return false;
  return Object.keys(labels).length === 0 || (labels[tenantLabel] ?? []).includes(tenant);
}
