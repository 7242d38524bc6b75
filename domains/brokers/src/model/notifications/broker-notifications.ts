import type { JsonObject } from '@chandlery/api';
import { isSameJson } from '@chandlery/runtime';
import { globalTenant, ownPlatformId } from '../../kinds/index.ts';
import type { ServiceState } from '../catalog/plan-catalog-sync.ts';
import { planSupportsPlatform } from '../catalog/plan-supports-platform.ts';
import { brokerView } from '../resources/brokers.ts';
import { offeringView } from '../resources/offerings.ts';
import { planView } from '../resources/plans.ts';
import type { Viewed } from '../resources/resource.ts';
import type { BrokerRow, PlanRow, PlatformRow, RegistryWrite } from '../rows.ts';
import { labelChangesBetween } from './label-changes.ts';
import {
  bareView,
  type NewNotification,
  type NotificationCause,
  type NotifiedState,
  notificationWrites,
} from './notification-writes.ts';

/** A broker and what it offers. */
export interface BrokerState {
  readonly broker: Viewed<BrokerRow>;
  readonly services: readonly ServiceState[];
}

/** What happens to a broker. */
export interface BrokerEvent extends NotificationCause {
  readonly id: string;
  readonly tenant: string;
  /** Undefined for a broker of which no platform was notified yet. */
  readonly before?: BrokerState | undefined;
  /** Undefined for a broker that goes. */
  readonly after?: BrokerState | undefined;
  readonly platforms: Iterable<PlatformRow>;
  readonly ownPlatformTypes: readonly string[];
  /** Whether a plan was opened to a platform, for brokers that only such platforms see. Default: all see them. */
  readonly isOpenTo?: (plan: Pick<PlanRow, 'id'>, platform: PlatformRow) => boolean;
}

/** The notifications of an event. */
export interface BrokerNotifications {
  readonly writes: readonly RegistryWrite[];
  /** Platforms that could use the broker and cannot any more: their credentials for it end. */
  readonly lostPlatformIds: ReadonlySet<string>;
}

/**
 * The notifications for a change of a broker: `CREATED` for platforms that could not use it before, `DELETED` for those
 * that can no longer use it, and `MODIFIED` for all others if a visible field has changed.
 */
export function brokerNotifications(event: BrokerEvent): BrokerNotifications {
  const { before, after } = event;
  const reachable = [...event.platforms].filter(platform => isInReach(event, platform));
  const had = audienceOf(event, before, reachable);
  const has = audienceOf(event, after, reachable);
  const lost = had.difference(has);
  const kept = had.intersection(has);
  const notify = (type: NewNotification['type'], platforms: ReadonlySet<string>): RegistryWrite[] =>
    platforms.size === 0 ? [] : notificationWrites(notification(event, type, { platforms, reachable }), event);
  return {
    writes: [
      ...notify('CREATED', has.difference(had)),
      ...notify('DELETED', lost),
      ...(isSeenAlike(before, after) ? [] : notify('MODIFIED', kept)),
    ],
    lostPlatformIds: lost,
  };
}

/** A tenant's broker is for its own platforms. Technical ones and the own one have no proxy. */
const isInReach = ({ tenant }: BrokerEvent, platform: PlatformRow): boolean =>
  platform.spec.technical !== true &&
  platform.id !== ownPlatformId &&
  (tenant === globalTenant || platform.tenant === tenant);

function audienceOf(
  { ownPlatformTypes, isOpenTo = () => true }: BrokerEvent,
  state: BrokerState | undefined,
  platforms: readonly PlatformRow[],
): ReadonlySet<string> {
  const plans = (state?.services ?? []).flatMap(service => service.plans);
  const canUse = (platform: PlatformRow) =>
    plans.some(plan => planSupportsPlatform(plan, platform, ownPlatformTypes) && isOpenTo(plan, platform));
  return new Set(platforms.filter(canUse).map(({ id }) => id));
}

interface Audience {
  readonly platforms: ReadonlySet<string>;
  readonly reachable: readonly PlatformRow[];
}

function notification(event: BrokerEvent, type: NewNotification['type'], audience: Audience): NewNotification {
  const { id: resourceId, tenant, before, after } = event;
  // One row without names serves a landscape of any size, but must not reach tenants whom the broker is not for.
  const isForAll = tenant === globalTenant && audience.platforms.size === audience.reachable.length;
  return {
    resource: '/v1/service_brokers',
    type,
    resourceId,
    tenant,
    platformIds: isForAll ? undefined : [...audience.platforms],
    ...(type !== 'DELETED' && after !== undefined && { new: notifiedState(after) }),
    ...(type !== 'CREATED' && before !== undefined && { old: notifiedState(before) }),
    ...(type === 'MODIFIED' && {
      labelChanges: labelChangesBetween(before?.broker.spec.labels, after?.broker.spec.labels),
    }),
  };
}

const notifiedState = ({ broker, services }: BrokerState): NotifiedState => ({
  resource: brokerView(broker),
  additional: { services: services.map(serviceView) },
  shorter: shorterCatalogs(services),
});

/** Every offering with one plan, then these without what is free-form and may be long, then the first of them alone. */
function shorterCatalogs(services: readonly ServiceState[]): JsonObject[] {
  const brief = services.map(({ offering, plans }) => ({ offering, plans: plans.slice(0, 1) }));
  const bare = brief.map(({ offering, plans }) => ({
    ...bareView(offeringView(offering)),
    plans: plans.map(plan => bareView(planView(plan))),
  }));
  return [{ services: brief.map(serviceView) }, { services: bare }, { services: bare.slice(0, 1) }];
}

const serviceView = ({ offering, plans }: ServiceState): JsonObject => ({
  ...offeringView(offering),
  plans: plans.map(planView),
});

/** Fields of the catalog that we do not know matter to platforms too: the hash stands for them. */
function isSeenAlike(before: BrokerState | undefined, after: BrokerState | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  return isSameJson(seen(before), seen(after));
}

function seen({ broker, services }: BrokerState): JsonObject {
  const views = services.map(serviceView).map(view => [view['id'], view] as const);
  const { catalogHash } = broker.status;
  return {
    ...brokerView(broker),
    updated_at: undefined,
    catalogHash,
    services: Object.fromEntries(views) as JsonObject,
  };
}
