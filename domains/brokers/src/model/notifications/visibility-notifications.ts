import type { JsonObject } from '@chandlery/api';
import { isSameJson } from '@chandlery/runtime';
import { globalTenant, ownPlatformId } from '../../kinds/index.ts';
import { planView } from '../resources/plans.ts';
import type { Viewed } from '../resources/resource.ts';
import { visibilityView } from '../resources/visibilities.ts';
import type { BrokerRow, PlanRow, PlatformRow, RegistryWrite, VisibilityRow } from '../rows.ts';
import { labelChangesBetween } from './label-changes.ts';
import {
  bareView,
  type NewNotification,
  type NotificationCause,
  type NotifiedState,
  notificationWrites,
} from './notification-writes.ts';

/** A visibility and what it is about. */
export interface VisibilityState {
  readonly visibility: Viewed<VisibilityRow>;
  readonly plan: PlanRow;
  readonly broker: BrokerRow;
}

/** What happens to a visibility. */
export interface VisibilityEvent extends NotificationCause {
  readonly id: string;
  readonly tenant: string;
  /** Undefined for a visibility of which no platform was notified yet. */
  readonly before?: VisibilityState | undefined;
  /** Undefined for a visibility that goes. */
  readonly after?: VisibilityState | undefined;
  readonly platforms: Iterable<PlatformRow>;
}

/**
 * The notifications for a change of a visibility, for its platform or for all. A changed platform means `DELETED` for
 * the old one and `CREATED` for the new one; an unchanged visibility causes none.
 */
export function visibilityNotifications(event: VisibilityEvent): RegistryWrite[] {
  const { before, after } = event;
  const platforms = [...event.platforms];
  const had = before === undefined ? [] : audienceOf(before, platforms);
  const has = after === undefined ? [] : audienceOf(after, platforms);
  const notify = (type: NewNotification['type'], platformIds: readonly string[] | undefined) =>
    notificationWrites(notification(event, type, platformIds), event);
  if (before === undefined || after === undefined || !isSameJson(had, has))
    return [...notify('DELETED', had), ...notify('CREATED', has)];
  return isSameJson(before.visibility.spec, after.visibility.spec) ? [] : notify('MODIFIED', has);
}

/** Undefined: every platform. A tenant's plan is for its own platforms; technical ones and the own one have no proxy. */
function audienceOf({ visibility, plan }: VisibilityState, platforms: readonly PlatformRow[]): string[] | undefined {
  const { platformId = '' } = visibility.spec;
  const isGlobal = plan.tenant === globalTenant;
  if (platformId === '' && isGlobal) return undefined;
  return platforms
    .filter(({ id, tenant, spec }) => {
      if (spec.technical === true || id === ownPlatformId) return false;
      return (platformId === '' || platformId === id) && (isGlobal || tenant === plan.tenant);
    })
    .map(({ id }) => id);
}

function notification(
  { id: resourceId, tenant, before, after }: VisibilityEvent,
  type: NewNotification['type'],
  platformIds: readonly string[] | undefined,
): NewNotification {
  return {
    resource: '/v1/visibilities',
    type,
    resourceId,
    tenant,
    platformIds,
    ...(type !== 'DELETED' && after !== undefined && { new: notifiedState(after) }),
    ...(type !== 'CREATED' && before !== undefined && { old: notifiedState(before) }),
    ...(type === 'MODIFIED' && {
      labelChanges: labelChangesBetween(before?.visibility.spec.labels, after?.visibility.spec.labels),
    }),
  };
}

function notifiedState({ visibility, plan, broker }: VisibilityState): NotifiedState {
  const additionalWith = (servicePlan: JsonObject): JsonObject => ({
    broker_id: broker.id,
    broker_name: broker.spec.name ?? broker.id,
    service_plan: servicePlan,
  });
  const view = planView(plan);
  return {
    resource: visibilityView(visibility),
    additional: additionalWith(view),
    shorter: [additionalWith(bareView(view))],
  };
}
