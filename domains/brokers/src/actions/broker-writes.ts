import { createHash } from 'node:crypto';
import type { JsonObject } from '@chandlery/api';
import { isSameJson } from '@chandlery/runtime';
import { isLandscapeBroker, isLandscapeId, landscapeVisibilityId, ownPlatformId } from '../kinds/index.ts';
import { isOrderable } from '../model/catalog/not-orderable.ts';
import { planCatalogSync, removePlan, type ServiceState } from '../model/catalog/plan-catalog-sync.ts';
import { assertPlansUnused } from '../model/catalog/plans-in-use.ts';
import { canonicalJson } from '../model/json.ts';
import { type BrokerNotifications, brokerNotifications } from '../model/notifications/broker-notifications.ts';
import { readyAndSynced, statedConditions } from '../model/operations/row-conditions.ts';
import { secretNameOf } from '../model/operations/secret-name.ts';
import {
  type BrokerRow,
  createRow,
  type PlanRow,
  type PlatformRow,
  type Registry,
  type RegistryWrite,
  removeRow,
  updateRow,
} from '../model/rows.ts';
import type { FetchedCatalog } from './fetch-catalog.ts';

/** What decisions about brokers need. */
export interface BrokerDecisionDeps {
  readonly registry: Registry;
  readonly settings: { readonly ownPlatformTypes: readonly string[] };
}

/** A broker that gets a catalog. */
export interface BrokerSync {
  readonly id: string;
  readonly tenant: string;
  /** Undefined when it is to be made. */
  readonly current?: BrokerRow;
  /** The state that platforms know. */
  readonly before?: BrokerRow;
  readonly spec: BrokerRow['spec'];
  readonly fetched: FetchedCatalog;
  readonly correlationId: string;
}

/** The name of the Secret in which the service manager keeps a broker's credentials. */
export const brokerSecretName = (id: string): string => secretNameOf('broker', id);

/** All writes that apply a fetched catalog: the broker's row, its offerings and plans, and the notifications. */
export function brokerSyncWrites(deps: BrokerDecisionDeps, sync: BrokerSync): RegistryWrite[] {
  const { registry } = deps;
  const { id, tenant, current, before, spec, fetched } = sync;
  const now = registry.now();
  const offered = planCatalogSync({
    broker: { id, tenant, name: spec.name ?? id },
    catalog: fetched.catalog,
    offerings: registry.offerings.by('brokerId', id),
    plans: registry.plans.by('brokerId', id),
    visibilitiesOfPlan: planId => registry.visibilities.by('planId', planId),
    instancesOfPlan: planId => registry.instances.by('planId', planId),
    newId: () => registry.newId(),
    now,
  });
  const status = syncedStatus(sync, offered.catalog, now);
  const broker = { id, createdAt: current?.createdAt ?? now, updatedAt: now, spec, status };
  const notified = notify(deps, sync, {
    before: before?.status.ready === true ? { broker: before, services: servicesOf(registry, id) } : undefined,
    after: { broker, services: offered.services },
  });
  const row =
    current === undefined
      ? createRow({ table: 'brokers', id, tenant, spec, status })
      : updateRow({ table: 'brokers', row: current, spec, status });
  const opened = isLandscapeBroker({ id, spec }) ? ownVisibilities(registry, offered.writes) : [];
  return [
    row,
    ...offered.writes,
    ...opened,
    ...lostCredentials(registry, id, notified.lostPlatformIds),
    ...notified.writes,
  ];
}

/** New plans of the landscape that can be ordered are open on its own platform. An operator who removes such a visibility closes the plan for good. */
const ownVisibilities = (registry: Registry, writes: readonly RegistryWrite[]): RegistryWrite[] =>
  writes.flatMap(write =>
    write.type === 'create' && write.table === 'plans' && isOrderable(write.spec)
      ? [
          createRow({
            table: 'visibilities',
            id: landscapeVisibilityId(registry.newId()),
            tenant: write.tenant,
            spec: { planId: write.id, platformId: ownPlatformId },
            status: { ready: true, observedGeneration: 1 },
          }),
        ]
      : [],
  );

/** All writes that end a broker. Throws `ExistingReferenceEntity` when one of its plans has instances. */
export function brokerRemoval(
  deps: BrokerDecisionDeps,
  { broker, correlationId }: { readonly broker: BrokerRow; readonly correlationId?: string },
): RegistryWrite[] {
  const { registry } = deps;
  const { id, tenant, spec } = broker;
  const plans = [...registry.plans.by('brokerId', id)];
  assertPlansUnused({ instancesOfPlan: planId => registry.instances.by('planId', planId) }, plans);
  const before = broker.status.ready === true ? { broker, services: servicesOf(registry, id) } : undefined;
  const visibilitiesOfPlan = (planId: string) => registry.visibilities.by('planId', planId);
  const name = brokerSecretName(id);
  return [
    ...[...registry.credentials.by('brokerId', id)].map(row => removeRow('credentials', row)),
    ...plans.flatMap(plan => removePlan({ visibilitiesOfPlan }, plan)),
    ...[...registry.offerings.by('brokerId', id)].map(row => removeRow('offerings', row)),
    removeRow('brokers', broker),
    // A Secret that the service manager did not create belongs to its creator and stays.
    ...(spec.credentialsSecret === name ? [{ type: 'remove-secret', tenant, name } as const] : []),
    ...notify(deps, { id, tenant, ...(correlationId === undefined ? {} : { correlationId }) }, { before }).writes,
  ];
}

/** What a broker offers now. */
function servicesOf({ offerings, plans }: Registry, brokerId: string): ServiceState[] {
  return [...offerings.by('brokerId', brokerId)].map(offering => ({
    offering,
    plans: [...plans.by('offeringId', offering.id)],
  }));
}

function notify(
  { registry, settings }: BrokerDecisionDeps,
  about: { readonly id: string; readonly tenant: string; readonly correlationId?: string },
  states: Pick<Parameters<typeof brokerNotifications>[0], 'before' | 'after'>,
): BrokerNotifications {
  const { id, tenant, correlationId } = about;
  return brokerNotifications({
    id,
    tenant,
    ...states,
    platforms: registry.platforms.all(),
    ownPlatformTypes: settings.ownPlatformTypes,
    ...(isLandscapeId(id) && { isOpenTo: openTo(registry) }),
    newId: () => registry.newId(),
    ...(correlationId === undefined ? {} : { correlationId }),
  });
}

const openTo =
  ({ visibilities }: Registry) =>
  (plan: Pick<PlanRow, 'id'>, platform: PlatformRow): boolean =>
    [...visibilities.by('planId', plan.id)].some(({ spec }) => (spec.platformId || platform.id) === platform.id);

const lostCredentials = (registry: Registry, brokerId: string, platformIds: ReadonlySet<string>): RegistryWrite[] =>
  [...registry.credentials.by('brokerId', brokerId)]
    .filter(({ spec }) => platformIds.has(spec.platformId))
    .map(row => removeRow('credentials', row));

function syncedStatus({ current, spec, fetched }: BrokerSync, catalog: JsonObject, now: string): BrokerRow['status'] {
  const generation = generationAfter(current, spec);
  const before = { status: current?.status ?? {}, generation };
  return {
    ...current?.status,
    ready: true,
    observedGeneration: generation,
    catalog,
    catalogHash: createHash('sha256').update(canonicalJson(catalog)).digest('base64url'),
    catalogFetchedAt: now,
    apiVersion: fetched.apiVersion,
    conditions: statedConditions(before, readyAndSynced('The catalog of the broker is in force.'), new Date(now)),
  };
}

/** The store raises the generation when the spec changes: what is committed now is about the raised one. */
function generationAfter(current: BrokerRow | undefined, spec: BrokerRow['spec']): number {
  if (current === undefined) return 1;
  return isSameJson(current.spec, spec) ? current.generation : current.generation + 1;
}
