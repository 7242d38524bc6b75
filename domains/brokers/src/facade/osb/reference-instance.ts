import type { JsonObject } from '@chandlery/api';
import { smError } from '../../errors.ts';
import type { UpdateRequest } from '../../model/osb/instance-request.ts';
import type { InstanceRow, PlanRow, PlatformRow, Registry } from '../../model/rows.ts';
import { resolveReference } from '../../model/sharing/resolve-reference.ts';
import { brokerNames } from './binding-target.ts';
import { jsonResponse, type OsbResponse } from './osb-response.ts';

/** The shared instance that a new reference is to stand for. Throws `BadRequest` or `NotFound`. */
export function referenceTarget(
  registry: Registry,
  asked: { readonly plan: PlanRow; readonly platform: PlatformRow; readonly parameters: JsonObject | undefined },
): InstanceRow {
  const { plan, platform, parameters } = asked;
  const { offeringId } = plan.spec;
  return resolveReference(registry, { offeringId, tenant: platform.tenant, parameters, by: 'catalog_name' });
}

/** A reference stands for what it stands for: only what the platform says of itself may change. Throws `BadRequest`. */
export function checkReferenceUpdate(plan: PlanRow | undefined, instance: InstanceRow, request: UpdateRequest): void {
  const isOtherPlan = plan !== undefined && plan.id !== instance.spec.planId;
  const hasParameters = request.parameters !== undefined && Object.keys(request.parameters).length > 0;
  if (!isOtherPlan && !hasParameters) return;
  throw smError('BadRequest', 'the plan and the parameters of a reference to a shared instance cannot be changed');
}

/** What a platform that fetches a reference is shown. The broker does not know it. */
export function fetchReference(registry: Registry, instance: InstanceRow): OsbResponse {
  const { serviceId, planId } = brokerNames(registry, instance);
  const { maintenanceInfo, referencedInstanceId } = instance.spec;
  return jsonResponse(200, {
    service_id: serviceId,
    plan_id: planId,
    ...(maintenanceInfo === undefined ? {} : { maintenance_info: maintenanceInfo as JsonObject }),
    parameters: { referenced_instance_id: referencedInstanceId },
  });
}
