import type { JsonObject } from '@chandlery/api';
import { smError } from '../../../errors.ts';
import { choosePlan, type WantedPlan } from '../../../model/catalog/choose-plan.ts';
import { isPlanVisibleToTenant } from '../../../model/catalog/tenant-visibility.ts';
import { optionalText } from '../../../model/resources/body-fields.ts';
import type { PlanRow } from '../../../model/rows.ts';
import type { SmRequest } from '../resource-handler.ts';
import type { InstanceDeps } from './instance-deps.ts';

/** Which plan a body asks for. Throws `BadRequest` unless it is said in exactly one way. */
export function readWantedPlan(body: JsonObject): WantedPlan {
  const planId = optionalText(body, 'service_plan_id');
  const offeringName = optionalText(body, 'service_offering_name');
  const planName = optionalText(body, 'service_plan_name');
  const brokerName = optionalText(body, 'broker_name');
  const hasNames = [offeringName, planName, brokerName].some(name => name !== undefined);
  if (planId !== undefined && hasNames) {
    throw reject('service_plan_id may not be given together with names of an offering, a plan or a broker');
  }
  if (planId !== undefined && planId !== '') return { planId };
  if (!offeringName || !planName) {
    throw reject('missing service_plan_id, or service_offering_name and service_plan_name together');
  }
  return { offeringName, planName, ...(brokerName === undefined ? {} : { brokerName }) };
}

/** Finds a plan that the caller may use in the tenant. The operator may use every plan, opened by a visibility or not. */
export function findUsablePlan(
  { registry, settings: { ownPlatformTypes } }: Pick<InstanceDeps, 'registry' | 'settings'>,
  wanted: WantedPlan,
  { caller, tenant }: Pick<SmRequest, 'caller' | 'tenant'>,
): PlanRow {
  const isVisible = (plan: PlanRow) => isPlanVisibleToTenant(registry, plan, { tenant, ownPlatformTypes });
  return choosePlan(registry, wanted, caller.type === 'operator' ? () => true : isVisible);
}

const reject = (message: string) => smError('BadRequest', message, { field: 'service_plan_id' });
