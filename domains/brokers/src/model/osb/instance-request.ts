import type { JsonObject } from '@chandlery/api';
import { hashParameters } from '../json.ts';
import { optionalObject, optionalText, requiredText } from './request-fields.ts';

/** What a platform says when it provisions. */
export interface ProvisionRequest {
  /** Ids of the broker's catalog. */
  readonly serviceId: string;
  readonly planId: string;
  readonly organizationGuid: string | undefined;
  readonly spaceGuid: string | undefined;
  readonly context: JsonObject | undefined;
  readonly parameters: JsonObject | undefined;
  readonly maintenanceInfo: JsonObject | undefined;
}

/** What a platform says when it updates an instance. */
export interface UpdateRequest {
  readonly serviceId: string;
  /** Undefined: the plan stays. */
  readonly planId: string | undefined;
  readonly context: JsonObject | undefined;
  readonly parameters: JsonObject | undefined;
  readonly maintenanceInfo: JsonObject | undefined;
  /** The plan of the instance according to the platform. */
  readonly previousPlanId: string | undefined;
  /** Of everything that is asked for. */
  readonly hash: string;
}

/** Reads the body of a provision. Only the two ids are demanded. Throws `BadRequest`. */
export function readProvision(body: JsonObject): ProvisionRequest {
  return {
    serviceId: requiredText(body, 'service_id'),
    planId: requiredText(body, 'plan_id'),
    organizationGuid: optionalText(body, 'organization_guid'),
    spaceGuid: optionalText(body, 'space_guid'),
    ...commonFields(body),
  };
}

/** Reads the body of an update. Throws `BadRequest`. */
export function readUpdate(body: JsonObject): UpdateRequest {
  const { previous_values: _previous, ...asked } = body;
  return {
    serviceId: requiredText(body, 'service_id'),
    planId: optionalText(body, 'plan_id'),
    previousPlanId: optionalText(optionalObject(body, 'previous_values') ?? {}, 'plan_id'),
    hash: hashParameters(asked),
    ...commonFields(body),
  };
}

const commonFields = (body: JsonObject) => ({
  context: optionalObject(body, 'context'),
  parameters: optionalObject(body, 'parameters'),
  maintenanceInfo: optionalObject(body, 'maintenance_info'),
});
