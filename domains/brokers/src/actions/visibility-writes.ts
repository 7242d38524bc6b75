import type { Condition } from '@chandlery/api';
import { isSameJson } from '@chandlery/runtime';
import { smError } from '../errors.ts';
import { globalTenant, ownPlatformId } from '../kinds/index.ts';
import { isGrantedByOwner } from '../model/catalog/is-plan-visible.ts';
import { type VisibilityState, visibilityNotifications } from '../model/notifications/visibility-notifications.ts';
import { readyAndSynced, statedConditions } from '../model/operations/row-conditions.ts';
import type { Viewed } from '../model/resources/resource.ts';
import type { PlanRow, PlatformRow, Registry, RegistryWrite, VisibilityRow } from '../model/rows.ts';

type VisibilitySnapshot = Viewed<VisibilityRow> & Pick<VisibilityRow, 'tenant'>;

/** The plan and platform of a visibility. Throws `BadRequest` for what is not there, or not for this tenant to grant. */
export function referencesOf(
  { plans, platforms }: Registry,
  { tenant, spec }: Pick<VisibilityRow, 'tenant' | 'spec'>,
): { readonly plan: PlanRow; readonly platform?: PlatformRow } {
  const plan = plans.get(spec.planId);
  if (plan === undefined || !isGrantedByOwner(plan, { tenant })) throw unknown('service plan', 'service_plan_id');
  const { platformId = '' } = spec;
  if (platformId === '') return { plan };
  const platform = platforms.get(platformId);
  if (platform === undefined || !isKnownTo(tenant, platform)) throw unknown('platform', 'platform_id');
  return { plan, platform };
}

const isKnownTo = (tenant: string, platform: PlatformRow): boolean =>
  tenant === globalTenant || platform.tenant === tenant || platform.id === ownPlatformId;

const unknown = (noun: string, field: string) => smError('BadRequest', `could not find such ${noun}`, { field });

/**
 * The notifications for a change of a visibility. None when its plan or broker no longer exists: platforms were
 * notified of that removal.
 */
export function notifyVisibility(
  registry: Registry,
  event: { readonly before?: VisibilitySnapshot; readonly after?: VisibilitySnapshot; readonly correlationId?: string },
): RegistryWrite[] {
  const { before, after, correlationId } = event;
  const notified = after ?? before;
  if (notified === undefined) return [];
  return visibilityNotifications({
    id: notified.id,
    tenant: notified.tenant,
    before: stateOf(registry, before),
    after: stateOf(registry, after),
    platforms: registry.platforms.all(),
    newId: () => registry.newId(),
    ...(correlationId === undefined ? {} : { correlationId }),
  });
}

function stateOf(
  { plans, brokers }: Registry,
  visibility: VisibilitySnapshot | undefined,
): VisibilityState | undefined {
  const plan = visibility && plans.get(visibility.spec.planId);
  const broker = plan && brokers.get(plan.spec.brokerId);
  return visibility && plan && broker && { visibility, plan, broker };
}

interface Settling {
  readonly status: { readonly conditions?: readonly Condition[] };
  readonly generation: number;
  readonly now: string;
  /** The spec before and after; the store raises the generation when they differ. Default: it stays. */
  readonly before?: VisibilityRow['spec'];
  readonly spec?: VisibilityRow['spec'];
}

/** The status of a visibility after its platforms were notified. */
export function settledStatus({ status, generation, now, before, spec }: Settling): VisibilityRow['status'] {
  const observedGeneration = isSameJson(before, spec) ? generation : generation + 1;
  const stated = { status, generation: observedGeneration };
  const conditions = statedConditions(stated, readyAndSynced('The plan is visible.'), new Date(now));
  return { ...status, ready: true, observedGeneration, conditions };
}
