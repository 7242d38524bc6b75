import { hashParameters } from '../json.ts';
import type { ProvisionRequest } from '../osb/instance-request.ts';
import { createRow, type InstanceRow, type PlanRow, type RegistryWrite } from '../rows.ts';
import { enginePaths } from './operation-state.ts';
import { type BrokerResult, type TrackedBy, trackedCreation } from './tracked-operation.ts';
import { instanceFactsIn, keptContext } from './tracked-status.ts';

/** An instance that the broker has made, or has begun to make. */
export interface Provisioned {
  readonly id: string;
  readonly name: string;
  readonly plan: PlanRow;
  readonly request: ProvisionRequest;
  readonly result: BrokerResult;
  /** The shared instance that it stands for. Default: it stands for itself. */
  readonly referencedInstanceId?: string;
}

/** The row of a new instance, and its operation. */
export function trackProvision(by: TrackedBy, provisioned: Provisioned): RegistryWrite[] {
  const { id, result } = provisioned;
  const { tenant } = by.platform;
  const creation = trackedCreation(by, { resourceType: enginePaths.instances, resourceId: id, result });
  const status = { ...statusOf(provisioned), ...creation.status };
  return [createRow({ table: 'instances', id, tenant, spec: specOf(by, provisioned), status }), ...creation.writes];
}

function specOf({ platform }: TrackedBy, { name, plan, request, referencedInstanceId }: Provisioned) {
  return {
    name,
    planId: plan.id,
    platformId: platform.id,
    ...(request.maintenanceInfo === undefined ? {} : { maintenanceInfo: request.maintenanceInfo }),
    ...(referencedInstanceId === undefined ? {} : { referencedInstanceId }),
  };
}

function statusOf({ plan, request, result }: Provisioned): InstanceRow['status'] {
  const { organizationGuid, spaceGuid, parameters } = request;
  return {
    ready: result.isDone,
    usable: true,
    observedGeneration: 1,
    planId: plan.id,
    ...keptContext(request.context),
    ...instanceFactsIn(result.body),
    request: {
      ...(organizationGuid === undefined ? {} : { organizationGuid }),
      ...(spaceGuid === undefined ? {} : { spaceGuid }),
      parametersHash: hashParameters(parameters),
    },
  };
}
