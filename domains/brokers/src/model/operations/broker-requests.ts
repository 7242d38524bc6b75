import type { JsonObject } from '@chandlery/api';
import { ownPlatformId } from '../../kinds/index.ts';
import type { BindingRow, InstanceRow, OfferingRow, PlanRow } from '../rows.ts';
import type { OperationChange } from './operation-end.ts';

/** An instance and where its broker finds it in the catalog. */
export interface InstanceTarget {
  readonly instance: InstanceRow;
  /** The plan that the broker knows it by. */
  readonly plan: PlanRow;
  readonly offering: OfferingRow;
}

/** What brokers demand for platforms that have no organisations and spaces. */
const nowhere = '-';

/** How the row is called by people. */
export const nameOf = (row: { readonly id: string; readonly spec: { readonly name?: string } }): string =>
  row.spec.name ?? row.id;

/** The context of an instance whose platform is the service manager itself. */
export const instanceContext = (instance: InstanceRow, name = nameOf(instance)): JsonObject => ({
  platform: ownPlatformId,
  instance_name: name,
  tenant: instance.tenant,
});

/** By what the instance is known in the broker's catalog. */
export const catalogIds = ({ plan, offering }: InstanceTarget): { service_id: string; plan_id: string } => ({
  service_id: offering.spec.catalogId,
  plan_id: plan.spec.catalogId,
});

/** The body of a provision. */
export function provisionBody(
  target: InstanceTarget,
  context: JsonObject,
  parameters: JsonObject | undefined,
): JsonObject {
  const { maintenanceInfo } = target.instance.spec;
  return {
    ...catalogIds(target),
    organization_guid: nowhere,
    space_guid: nowhere,
    context,
    ...(parameters === undefined ? {} : { parameters }),
    ...(maintenanceInfo === undefined ? {} : { maintenance_info: maintenanceInfo as JsonObject }),
  };
}

/** What an update asks the broker for, besides the context. */
interface RequestedUpdate {
  readonly change: OperationChange;
  /** The plan that `change.planId` names. */
  readonly newPlan: PlanRow | undefined;
  readonly parameters: JsonObject | undefined;
}

/** The body of an update: only what changes, and what was before. */
export function updateBody(target: InstanceTarget, context: JsonObject, decision: RequestedUpdate): JsonObject {
  const { change, newPlan, parameters } = decision;
  return {
    service_id: target.offering.spec.catalogId,
    ...(newPlan === undefined ? {} : { plan_id: newPlan.spec.catalogId }),
    context,
    ...(parameters === undefined ? {} : { parameters }),
    ...(change.maintenanceInfo === undefined ? {} : { maintenance_info: change.maintenanceInfo }),
    previous_values: previousValues(target),
  };
}

function previousValues(target: InstanceTarget): JsonObject {
  const { maintenanceInfo } = target.instance.spec;
  return {
    ...catalogIds(target),
    organization_id: nowhere,
    space_id: nowhere,
    ...(maintenanceInfo === undefined ? {} : { maintenance_info: maintenanceInfo as JsonObject }),
  };
}

/**
 * Whether an update must be sent to the broker. Names and labels are local, unless the broker allows context updates.
 */
export function concernsBroker(change: OperationChange, offering: OfferingRow): boolean {
  const { planId, parametersSecret, maintenanceInfo, platformId, name } = change;
  if ([planId, parametersSecret, maintenanceInfo, platformId].some(part => part !== undefined)) return true;
  return name !== undefined && offering.spec.allowContextUpdates === true;
}

/** The body of a bind. The target is the instance that the broker knows: for a reference, the shared one. */
export function bindBody(
  binding: BindingRow,
  target: InstanceTarget,
  sent: { readonly context: JsonObject; readonly parameters: JsonObject | undefined },
): JsonObject {
  const { bindResource, predecessorId } = binding.spec;
  return {
    ...catalogIds(target),
    context: sent.context,
    ...(sent.parameters === undefined ? {} : { parameters: sent.parameters }),
    ...(bindResource === undefined ? {} : { bind_resource: bindResource as JsonObject }),
    ...(predecessorId === undefined ? {} : { predecessor_binding_id: predecessorId }),
  };
}
