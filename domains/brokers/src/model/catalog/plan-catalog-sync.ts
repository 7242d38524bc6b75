import type { JsonObject } from '@chandlery/api';
import type { Viewed } from '../resources/resource.ts';
import {
  type InstanceRow,
  type OfferingRow,
  type PlanRow,
  type RegistryWrite,
  removeRow,
  type VisibilityRow,
} from '../rows.ts';
import type { Catalog, CatalogOffering, CatalogPlan } from './catalog.ts';
import { assertMayChange, assertPlansUnused } from './plans-in-use.ts';
import { needsReferencePlan, referencePlan } from './reference-plan.ts';
import { type SyncedRow, syncRow } from './sync-row.ts';

/** An offering and its plans, as they are or as they will be after the commit. */
export interface ServiceState {
  readonly offering: Viewed<OfferingRow>;
  readonly plans: readonly Viewed<PlanRow>[];
}

/** What is known of a broker before its new catalog. */
export interface CatalogSyncInput {
  readonly broker: { readonly id: string; readonly tenant: string; readonly name: string };
  readonly catalog: Catalog;
  /** All of the broker. */
  readonly offerings: Iterable<OfferingRow>;
  /** All of the broker. */
  readonly plans: Iterable<PlanRow>;
  readonly visibilitiesOfPlan: (planId: string) => Iterable<VisibilityRow>;
  readonly instancesOfPlan: (planId: string) => Iterable<InstanceRow>;
  readonly newId: () => string;
  /** The time that rows to be made have in `services`. */
  readonly now: string;
}

/** How a new catalog comes into force. */
export interface CatalogSync {
  /** For offerings, plans and visibilities; the broker's own row is the caller's. */
  readonly writes: readonly RegistryWrite[];
  /** The raw catalog with reference plans added, to be stored and served. */
  readonly catalog: JsonObject;
  /** What is offered after the commit. */
  readonly services: readonly ServiceState[];
}

/**
 * Decides how offerings and plans follow a catalog. Entries are matched by the broker's own ids; matched rows keep
 * id and labels, and are written only when something differs. A name may pass from an entry that goes to one that comes:
 * the store looks at unique keys once, after all writes of a commit.
 *
 * Throws `ExistingReferenceEntity` when a plan would go that has instances, `BadRequest` when a plan with shared
 * instances would lose sharing.
 */
export function planCatalogSync(input: CatalogSyncInput): CatalogSync {
  const plansOfOffering = Map.groupBy(input.plans, plan => plan.spec.offeringId);
  const offeringRows = [...input.offerings];
  const offeringByCatalogId = new Map(offeringRows.map(row => [row.spec.catalogId, row]));
  const synced = input.catalog.offerings.map(offering => {
    const row = offeringByCatalogId.get(offering.facts.catalogId);
    return syncOffering(input, offering, { row, plans: row === undefined ? [] : (plansOfOffering.get(row.id) ?? []) });
  });
  const kept = new Set(
    synced.flatMap(({ services: { offering, plans } }) => [offering.id, ...plans.map(({ id }) => id)]),
  );
  const goingPlans = [...plansOfOffering.values()].flat().filter(({ id }) => !kept.has(id));
  assertPlansUnused(input, goingPlans);
  return {
    writes: [
      ...goingPlans.flatMap(plan => removePlan(input, plan)),
      ...offeringRows.filter(({ id }) => !kept.has(id)).map(row => removeRow('offerings', row)),
      ...synced.flatMap(({ writes }) => writes),
    ],
    catalog: { ...input.catalog.raw, services: synced.map(({ raw }) => raw) },
    services: synced.map(({ services }) => services),
  };
}

/** All writes that end a plan. */
export const removePlan = (
  { visibilitiesOfPlan }: Pick<CatalogSyncInput, 'visibilitiesOfPlan'>,
  plan: PlanRow,
): RegistryWrite[] => [
  ...[...visibilitiesOfPlan(plan.id)].map(visibility => removeRow('visibilities', visibility)),
  removeRow('plans', plan),
];

interface KnownOffering {
  readonly row: OfferingRow | undefined;
  readonly plans: readonly PlanRow[];
}

interface SyncedOffering {
  readonly writes: readonly RegistryWrite[];
  readonly services: ServiceState;
  readonly raw: JsonObject;
}

function syncOffering(input: CatalogSyncInput, offering: CatalogOffering, known: KnownOffering): SyncedOffering {
  const { id: brokerId } = input.broker;
  const { row: before } = known;
  const { tenant } = input.broker;
  const spec = { brokerId, ...offering.facts };
  const synced = syncRow('offerings', { tenant, before, spec, id: before?.id ?? input.newId(), now: input.now });
  const reference = referenceOf(input, offering, known);
  const rowOfCatalogId = new Map(known.plans.filter(isFromBroker).map(row => [row.spec.catalogId, row]));
  const plans = offering.plans.map(plan => {
    const row = rowOfCatalogId.get(plan.facts.catalogId);
    if (row !== undefined) assertMayChange(input, row, plan.facts);
    return syncPlan(input, { plan, row, id: row?.id ?? input.newId(), offeringId: synced.row.id });
  });
  const all =
    reference === undefined ? plans : [...plans, syncPlan(input, { ...reference, offeringId: synced.row.id })];
  return {
    writes: [...synced.writes, ...all.flatMap(({ writes }) => writes)],
    services: { offering: synced.row, plans: all.map(({ row }) => row) },
    raw: reference === undefined ? offering.raw : withPlan(offering, reference.plan),
  };
}

const isFromBroker = ({ spec }: PlanRow): boolean => spec.isReference !== true;

const withPlan = ({ raw, plans }: CatalogOffering, added: CatalogPlan): JsonObject => ({
  ...raw,
  plans: [...plans.map(plan => plan.raw), added.raw],
});

interface KnownPlan {
  readonly plan: CatalogPlan;
  readonly row: PlanRow | undefined;
  readonly id: string;
  readonly isReference?: true;
}

/** The reference plan keeps its id for as long as the offering needs one. */
function referenceOf(input: CatalogSyncInput, offering: CatalogOffering, known: KnownOffering): KnownPlan | undefined {
  if (!needsReferencePlan(offering)) return undefined;
  const row = known.plans.find(plan => !isFromBroker(plan));
  const id = row?.id ?? input.newId();
  return { plan: referencePlan(id), row, id, isReference: true };
}

function syncPlan(input: CatalogSyncInput, known: KnownPlan & { readonly offeringId: string }): SyncedRow<'plans'> {
  const { plan, row: before, id, offeringId, isReference } = known;
  const { id: brokerId, tenant } = input.broker;
  const reference = isReference === undefined ? {} : { isReference };
  const spec = { brokerId, offeringId, ...plan.facts, ...reference };
  return syncRow('plans', { tenant, before, spec, id, now: input.now });
}
