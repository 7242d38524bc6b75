import { notFound, smError } from '../../../../errors.ts';
import { ownPlatformId } from '../../../../kinds/index.ts';
import { supportsSharing } from '../../../../model/catalog/catalog.ts';
import { supportsOwnPlatform } from '../../../../model/catalog/tenant-visibility.ts';
import type { InstanceRow, OfferingRow, PlanRow, Registry } from '../../../../model/rows.ts';
import { isOperatedHere } from '../../../../model/sharing/owner.ts';
import type { BrokerSettings } from '../../../../settings.ts';
import type { SmRequest } from '../../resource-handler.ts';
import { findUsablePlan } from '../../shared/find-plan.ts';
import { checkInstanceName } from '../../shared/unique-name.ts';
import type { InstanceChange } from './read-instance-change.ts';

/** What the catalog says of an instance. */
export interface CatalogPlace {
  readonly plan: PlanRow;
  readonly offering: OfferingRow;
}

/** The catalog entry of an instance. Throws `BadRequest` when its plan no longer exists. */
export function catalogPlaceOf(registry: Registry, { id, spec }: InstanceRow): CatalogPlace {
  const plan = registry.plans.get(spec.planId ?? '');
  if (plan === undefined) throw smError('BadRequest', `the plan of service instance ${id} does not exist any more`);
  return catalogPlaceOfPlan(registry, plan);
}

/** The catalog entry of a plan. Throws `BadRequest` when its offering no longer exists. */
export function catalogPlaceOfPlan(registry: Registry, plan: PlanRow): CatalogPlace {
  const offering = registry.offerings.get(plan.spec.offeringId);
  if (offering === undefined) throw smError('BadRequest', `the offering of plan ${plan.id} does not exist any more`);
  return { plan, offering };
}

/** What decides whether a change may be. */
export interface ChangeContext {
  readonly registry: Registry;
  readonly settings: BrokerSettings;
  readonly row: InstanceRow;
  readonly place: CatalogPlace;
}

/** Throws when the change may not be: wrong owner, wrong plan, taken name, wrong target of a transfer. */
export function checkChange(context: ChangeContext, change: InstanceChange, request: SmRequest): void {
  const { registry, row } = context;
  checkOwner(row, change);
  if (change.platformId !== undefined) checkTransfer(context, change.platformId);
  if (change.planId !== undefined) checkPlanChange(context, change.planId, request);
  if (row.spec.referencedInstanceId !== undefined && change.parameters !== undefined) {
    throw smError('BadRequest', 'the parameters of a reference cannot change', { field: 'parameters' });
  }
  const isNameNew = change.name !== undefined || change.platformId !== undefined;
  const name = change.name ?? row.spec.name ?? row.id;
  if (isNameNew && isOurs(row, change)) checkInstanceName(registry, name, { tenant: row.tenant, except: row.id });
}

const isOurs = (row: InstanceRow, { platformId = row.spec.platformId ?? ownPlatformId }: InstanceChange) =>
  platformId === ownPlatformId;

/** What another platform runs can be labelled or taken over, nothing else. */
function checkOwner(row: InstanceRow, { labels: _, ...change }: InstanceChange): void {
  if (isOperatedHere(row) || change.platformId !== undefined) return;
  if (Object.keys(change).length > 0) throw notFound('service instance');
}

function checkTransfer({ settings, row, place }: ChangeContext, target: string): void {
  if (target !== ownPlatformId) {
    throw smError('InvalidTransfer', `instances can only be transferred to platform ${ownPlatformId}`, facts);
  }
  if (!settings.enableInstanceTransfer)
    throw smError('TransferDisabled', 'the transfer of instances is disabled', facts);
  if (!supportsOwnPlatform(place.plan, settings.ownPlatformTypes)) {
    throw smError('UnsupportedPlatform', `the plan of the instance does not support platform ${ownPlatformId}`, facts);
  }
  if (row.spec.referencedInstanceId === undefined && place.offering.spec.allowContextUpdates !== true) {
    throw smError('UnsupportedContextUpdate', 'the offering of the instance does not allow context updates', facts);
  }
}

const facts = { field: 'platform_id' };

function checkPlanChange(context: ChangeContext, planId: string, request: SmRequest): void {
  const { row, place } = context;
  const field = 'service_plan_id';
  const plan = findUsablePlan(context, { planId }, { caller: request.caller, tenant: row.tenant });
  if (row.spec.referencedInstanceId !== undefined) {
    throw smError('BadRequest', 'the plan of a reference cannot change', { field });
  }
  if (plan.spec.offeringId !== place.offering.id || plan.spec.isReference === true) {
    throw smError('BadRequest', `plan ${planId} is none that this service instance can change to`, { field });
  }
  if (row.spec.shared === true && !supportsSharing(plan.spec)) {
    throw smError('BadRequest', 'a shared service instance can only change to a plan that supports sharing', { field });
  }
}
