import { isJsonObject } from '../json.ts';
import type { BindRequest } from '../osb/bind-request.ts';
import { type BindingRow, createRow, type InstanceRow, type RegistryWrite } from '../rows.ts';
import { enginePaths } from './operation-state.ts';
import { type BrokerResult, type TrackedBy, trackedCreation } from './tracked-operation.ts';
import { keptContext } from './tracked-status.ts';

/** A binding that the broker has made, or has begun to make. */
export interface Bound {
  readonly id: string;
  readonly instance: InstanceRow;
  readonly request: BindRequest;
  readonly result: BrokerResult;
}

/**
 * The row of a new binding, and its operation. Of the broker's answer only what says how long the binding holds is kept:
 * credentials, and addresses that may hold some, are the platform's.
 */
export function trackBind(by: TrackedBy, bound: Bound): RegistryWrite[] {
  const { id, instance, result } = bound;
  const { tenant } = instance;
  const creation = trackedCreation(by, { resourceType: enginePaths.bindings, resourceId: id, result });
  const status = { ...statusOf(bound), ...creation.status };
  return [createRow({ table: 'bindings', id, tenant, spec: specOf(bound), status }), ...creation.writes];
}

function specOf({ id, instance, request }: Bound): BindingRow['spec'] {
  const { bindResource, predecessorId } = request;
  return {
    name: id,
    instanceId: instance.id,
    ...(bindResource === undefined ? {} : { bindResource }),
    ...(predecessorId === undefined ? {} : { predecessorId }),
  };
}

function statusOf({ request, result }: Bound): BindingRow['status'] {
  const { metadata } = result.body;
  return {
    ready: result.isDone,
    isTracked: true,
    observedGeneration: 1,
    requestHash: request.hash,
    ...keptContext(request.context),
    ...(isJsonObject(metadata) && { metadata }),
  };
}
