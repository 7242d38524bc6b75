import type { JsonObject } from '@chandlery/api';
import { commitAnew } from '@chandlery/registry';
import type { WorkResult } from '@chandlery/runtime';
import { notFound, SmError } from '../../errors.ts';
import { instanceCreated, instanceUpdated } from '../../model/operations/instance-writes.ts';
import { failOperation } from '../../model/operations/operation-end.ts';
import { enginePaths, isEngineWork } from '../../model/operations/operation-state.ts';
import type { BindingRow, InstanceRow, OperationRow, Registry, RegistryWrite } from '../../model/rows.ts';
import { resolveReference } from '../../model/sharing/resolve-reference.ts';
import type { EngineDeps } from './engine-deps.ts';
import type { Target } from './find-target.ts';
import { goneWrites, removalWrites } from './operation-resource.ts';
import { readParameters } from './read-parameters.ts';

/** Executes an operation that does not concern a broker: on a reference, or on a resource that no longer exists. */
export async function executeLocally(
  deps: EngineDeps,
  { id }: OperationRow,
  target: Extract<Target, { type: 'gone' | 'local' }>,
): Promise<WorkResult> {
  const { registry } = deps;
  const read = target.type === 'gone' ? undefined : await parametersOf(registry, id, target.row);
  await commitAnew(registry, () => {
    const operation = registry.operations.get(id);
    if (operation === undefined || !isEngineWork(operation)) return [];
    if (read instanceof SmError) return failOperation(operation, read);
    return localWrites(deps, operation, read);
  });
  return 'done';
}

/** The parameters of a creation, or what is wrong with them. */
async function parametersOf(
  registry: Registry,
  operationId: string,
  row: InstanceRow | BindingRow,
): Promise<JsonObject | SmError | undefined> {
  const operation = registry.operations.get(operationId);
  if (operation?.spec.type !== 'create') return undefined;
  return readParameters(registry, operation, row).catch((error: unknown) => {
    if (error instanceof SmError) return error;
    throw error;
  });
}

function localWrites(deps: EngineDeps, operation: OperationRow, parameters: JsonObject | undefined): RegistryWrite[] {
  const { registry } = deps;
  const { resourceId, resourceType, type } = operation.spec;
  if (resourceType === enginePaths.bindings) return localBindingWrites(registry, operation);
  const instance = registry.instances.get(resourceId);
  if (instance === undefined) return goneWrites(registry, operation);
  if (type === 'delete') return removalWrites(registry, { operation, resource: { table: 'instances', row: instance } });
  return referenceWrites(deps, { operation, instance }, parameters);
}

/** A binding whose instance no longer exists: it can only be deleted. */
function localBindingWrites(registry: Registry, operation: OperationRow): RegistryWrite[] {
  const row = registry.bindings.get(operation.spec.resourceId);
  if (row === undefined) return goneWrites(registry, operation);
  if (operation.spec.type === 'delete')
    return removalWrites(registry, { operation, resource: { table: 'bindings', row } });
  return failOperation(operation, notFound('service instance'));
}

function referenceWrites(
  { registry, clock }: EngineDeps,
  { operation, instance }: { readonly operation: OperationRow; readonly instance: InstanceRow },
  parameters: JsonObject | undefined,
): RegistryWrite[] {
  try {
    const planId = instance.spec.planId ?? '';
    const success = { operation, instance, planId, body: {}, parameters, now: clock.now() };
    if (operation.spec.type === 'update') return instanceUpdated(success);
    return instanceCreated({ ...success, spec: pointingSpec(registry, instance, parameters) });
  } catch (error) {
    if (!(error instanceof SmError)) throw error;
    return failOperation(operation, error, { isKept: true });
  }
}

/**
 * The spec of a reference with the resolved instance. An object may name any instance id, so a named one is checked
 * like a requested one.
 */
function pointingSpec(
  registry: Registry,
  { tenant, spec }: InstanceRow,
  parameters: JsonObject | undefined,
): InstanceRow['spec'] {
  const { referencedInstanceId } = spec;
  const named = referencedInstanceId === undefined ? parameters : { referenced_instance_id: referencedInstanceId };
  const offeringId = registry.plans.get(spec.planId ?? '')?.spec.offeringId ?? '';
  const shared = resolveReference(registry, { offeringId, tenant, parameters: named, by: 'name' });
  return { ...spec, referencedInstanceId: shared.id };
}
