import { ownPlatformId } from '../../kinds/index.ts';
import { canonicalJson } from '../json.ts';
import type { UpdateRequest } from '../osb/instance-request.ts';
import { type InstanceRow, type PlanRow, type RegistryWrite, updateRow } from '../rows.ts';
import { enginePaths } from './operation-state.ts';
import { type BrokerResult, type TrackedBy, trackedOperation } from './tracked-operation.ts';
import { instanceFactsIn, keptContext } from './tracked-status.ts';

/** A change of an instance that the broker has made, or has begun to make. */
export interface Updated {
  readonly instance: InstanceRow;
  /** The plan from now on; undefined: it stays. */
  readonly plan: PlanRow | undefined;
  readonly request: UpdateRequest;
  readonly result: BrokerResult;
}

/** The changed row and its operation. {@link rolledBack} reverts an update that fails later. */
export function trackUpdate(by: TrackedBy, updated: Updated): RegistryWrite[] {
  const { instance, request, result } = updated;
  return [
    changedInstance(instance, specOf(by, updated), statusOf(updated)),
    trackedOperation(by, {
      type: 'update',
      resourceType: enginePaths.instances,
      resourceId: instance.id,
      result,
      requestHash: request.hash,
    }),
  ];
}

/** The row as it was before an update that has failed. */
export function rolledBack(instance: InstanceRow, usable: boolean): RegistryWrite {
  const { previous, context: _context, dashboardUrl: _dashboardUrl, ...status } = instance.status;
  if (previous === undefined) {
    return updateRow({ table: 'instances', row: instance, status: { ...instance.status, usable } });
  }
  const before = previous as unknown as Previous;
  const { maintenanceInfo: _maintenanceInfo, ...spec } = instance.spec;
  return changedInstance(instance, { ...spec, ...before.spec }, { ...status, ...before.status, usable });
}

/** The row when an update is through. */
export function settled(instance: InstanceRow): RegistryWrite {
  const { previous: _previous, ...status } = instance.status;
  return updateRow({ table: 'instances', row: instance, status: { ...status, usable: true } });
}

/** What a failed update goes back to. */
interface Previous {
  readonly spec: Pick<InstanceRow['spec'], 'name' | 'planId' | 'maintenanceInfo'>;
  readonly status: Pick<InstanceRow['status'], 'planId' | 'context' | 'dashboardUrl'>;
}

/** Writes the spec only when it differs, so that the generation does not change without reason. */
function changedInstance(row: InstanceRow, spec: InstanceRow['spec'], status: InstanceRow['status']): RegistryWrite {
  if (canonicalJson(spec as never) === canonicalJson(row.spec as never)) {
    return updateRow({ table: 'instances', row, status });
  }
  return updateRow({ table: 'instances', row, spec, status: { ...status, observedGeneration: row.generation + 1 } });
}

function specOf({ platform }: TrackedBy, { instance, plan, request }: Updated): InstanceRow['spec'] {
  const name = request.context?.['instance_name'];
  // Names of instances of the own platform are unique: only its own API changes them.
  const isRenamed = typeof name === 'string' && name !== '' && platform.id !== ownPlatformId;
  return {
    ...instance.spec,
    ...(isRenamed && { name }),
    ...(plan === undefined ? {} : { planId: plan.id }),
    ...(request.maintenanceInfo === undefined ? {} : { maintenanceInfo: request.maintenanceInfo }),
  };
}

function statusOf({ instance, plan, request, result }: Updated): InstanceRow['status'] {
  const { previous: _previous, ...status } = instance.status;
  return {
    ...status,
    ...(plan === undefined ? {} : { planId: plan.id }),
    ...keptContext(request.context),
    ...instanceFactsIn(result.body),
    ...(result.isDone ? { usable: true } : { previous: previousOf(instance) as unknown as Record<string, unknown> }),
  };
}

function previousOf({ spec, status }: InstanceRow): Previous {
  const { name, planId, maintenanceInfo } = spec;
  const { planId: brokerPlanId, context, dashboardUrl } = status;
  return {
    spec: {
      ...(name === undefined ? {} : { name }),
      ...(planId === undefined ? {} : { planId }),
      ...(maintenanceInfo === undefined ? {} : { maintenanceInfo }),
    },
    status: {
      ...(brokerPlanId === undefined ? {} : { planId: brokerPlanId }),
      ...(context === undefined ? {} : { context }),
      ...(dashboardUrl === undefined ? {} : { dashboardUrl }),
    },
  };
}

/** Records that the broker reports the instance as unusable. */
export const trackUnusable = (instance: InstanceRow): RegistryWrite =>
  updateRow({ table: 'instances', row: instance, status: { ...instance.status, usable: false } });
