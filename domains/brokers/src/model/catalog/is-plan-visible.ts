import { globalTenant, isLandscapeId, ownPlatformId } from '../../kinds/index.ts';
import type { PlanRow, PlatformRow, Registry, VisibilityRow } from '../rows.ts';
import { planSupportsPlatform } from './plan-supports-platform.ts';

/** The type of platforms that hand out plans organization by organization. */
const cloudFoundry = 'cloudfoundry';
const organizationLabel = 'organization_guid';

type Visibilities = Pick<Registry, 'visibilities'>;

/** Whether a platform may make instances of a plan. On Cloud Foundry it depends on the organization. */
export function isPlanVisible(
  registry: Visibilities,
  plan: PlanRow,
  platform: PlatformRow,
  { organizationGuid }: { readonly organizationGuid?: string } = {},
): boolean {
  const grants = grantsOf(registry, plan, platform);
  if (platform.spec.type !== cloudFoundry) return grants.length > 0;
  return grants.some(grant => isForOrganization(grant, organizationGuid));
}

/**
 * Whether a platform finds a plan in the catalog of its broker. Cloud Foundry sees all that it could use, and chooses
 * itself; but of what the landscape itself offers, no platform sees what was not opened to it.
 */
export function isPlanInCatalog(registry: Visibilities, plan: PlanRow, platform: PlatformRow): boolean {
  if (platform.spec.type !== cloudFoundry || isLandscapeId(plan.spec.brokerId))
    return grantsOf(registry, plan, platform).length > 0;
  return isInReach(plan, platform) && planSupportsPlatform(plan, platform);
}

/** All plans that a platform finds in catalogs. */
export function visiblePlans(registry: Pick<Registry, 'plans' | 'visibilities'>, platform: PlatformRow): PlanRow[] {
  const { plans, visibilities } = registry;
  if (platform.spec.type === cloudFoundry)
    return [...plans.all()].filter(plan => isPlanInCatalog(registry, plan, platform));
  const granted = new Set<PlanRow>();
  for (const grant of [...visibilities.by('platformId', platform.id), ...visibilities.by('platformId', '')]) {
    const plan = plans.get(grant.spec.planId);
    if (plan !== undefined && isInReach(plan, platform) && isGrantedByOwner(plan, grant)) granted.add(plan);
  }
  return [...granted];
}

/** Looked for where there are fewer: among those of the plan, or those of the platform. */
function grantsOf({ visibilities }: Visibilities, plan: PlanRow, platform: PlatformRow): readonly VisibilityRow[] {
  if (!isInReach(plan, platform)) return [];
  const ofPlatform = visibilities.count('platformId', platform.id) + visibilities.count('platformId', '');
  const candidates =
    visibilities.count('planId', plan.id) <= ofPlatform
      ? [...visibilities.by('planId', plan.id)]
      : [...visibilities.by('platformId', platform.id), ...visibilities.by('platformId', '')];
  return candidates.filter(
    grant => grant.spec.planId === plan.id && isForPlatform(grant, platform) && isGrantedByOwner(plan, grant),
  );
}

const isForPlatform = ({ spec: { platformId = '' } }: VisibilityRow, platform: PlatformRow): boolean =>
  platformId === '' || platformId === platform.id;

/** A tenant's plans are for its own platforms. What the own platform does for a tenant is checked where the tenant is known. */
const isInReach = (plan: PlanRow, platform: PlatformRow): boolean =>
  plan.tenant === globalTenant || plan.tenant === platform.tenant || platform.id === ownPlatformId;

/** Whether the visibility was created by the owner of the plan or by the operator; others cannot grant it. */
export const isGrantedByOwner = (plan: Pick<PlanRow, 'tenant'>, grant: Pick<VisibilityRow, 'tenant'>): boolean =>
  grant.tenant === plan.tenant || grant.tenant === globalTenant;

function isForOrganization({ spec }: VisibilityRow, organizationGuid: string | undefined): boolean {
  const { platformId = '', labels = {} } = spec;
  if (platformId === '' || Object.keys(labels).length === 0) return true;
  return organizationGuid !== undefined && (labels[organizationLabel] ?? []).includes(organizationGuid);
}
