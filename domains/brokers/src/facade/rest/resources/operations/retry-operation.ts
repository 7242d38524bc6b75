import { smError } from '../../../../errors.ts';
import { ownPlatformId } from '../../../../kinds/index.ts';
import { lastOperationOf } from '../../../../model/operations/last-operation.ts';
import { changeOf } from '../../../../model/operations/operation-end.ts';
import { isUnderMitigation } from '../../../../model/operations/operation-state.ts';
import { type OperationRow, type Registry, type RegistryWrite, touchRow, updateRow } from '../../../../model/rows.ts';
import type { SmRequest, SmResponse } from '../../resource-handler.ts';
import { resourcePaths } from '../../shared/order-operation.ts';

/**
 * Makes what tries a failed operation of an instance or binding again, as the same operation. It rejects with `Conflict`
 * when that cannot be.
 */
export function createRetryOperation(registry: Registry) {
  return async (operation: OperationRow, request: SmRequest): Promise<SmResponse> => {
    const { id, spec } = operation;
    const rejection = rejectionFor(registry, operation) ?? (await missingParameters(registry, operation));
    if (rejection !== undefined) throw smError('Conflict', `the operation cannot be retried: ${rejection}`);
    await registry.commit([begunAnew(operation, request), ...touched(registry, operation)]);
    return { type: 'accepted', operationId: id, resourceId: spec.resourceId };
  };
}

/** Nothing of the failed attempt is left: times, errors and the broker's name for it are those of the next one. */
function begunAnew(row: OperationRow, { caller }: SmRequest): RegistryWrite {
  const { createdAt } = row.status;
  const begun = { ready: true, state: 'in progress', user: { username: caller.username } } as const;
  const status = { ...begun, ...(createdAt === undefined ? {} : { createdAt }) };
  // The caller follows the operation and must find its resource even if the retry fails.
  const { discardsFailedCreate: _, ...spec } = row.spec;
  return updateRow({ table: 'operations', row, spec, status });
}

/** So that nothing else begins at the same moment. */
function touched(registry: Registry, { spec }: OperationRow): RegistryWrite[] {
  const instance = registry.instances.get(spec.resourceId);
  const binding = registry.bindings.get(spec.resourceId);
  if (tableOf(spec.resourceType) === 'instances')
    return instance === undefined ? [] : [touchRow('instances', instance)];
  return binding === undefined ? [] : [touchRow('bindings', binding)];
}

function rejectionFor(registry: Registry, operation: OperationRow): string | undefined {
  const { spec, status } = operation;
  const table = tableOf(spec.resourceType);
  if (table === undefined || spec.platformId !== ownPlatformId)
    return 'only those of the service manager itself can be';
  if (spec.cascadeRootId !== undefined) return 'start the cascade again';
  if (status.state !== 'failed') return `it is ${status.state}`;
  if (isUnderMitigation(operation)) return 'what it has left is still being removed';
  if (lastOperationOf(registry, spec.resourceType, spec.resourceId)?.id !== operation.id) return 'others came after it';
  return registry[table].get(spec.resourceId) === undefined ? 'its resource does not exist any more' : undefined;
}

/** Parameters are not kept when an operation ends; without them something else would be made. */
async function missingParameters(registry: Registry, operation: OperationRow): Promise<string | undefined> {
  const { parametersSecret } = changeOf(operation);
  if (parametersSecret === undefined) return undefined;
  const secret = await registry.readSecret(operation.tenant, parametersSecret);
  return secret === undefined ? 'its parameters are not kept; send the request again' : undefined;
}

function tableOf(resourceType: string): 'instances' | 'bindings' | undefined {
  if (resourceType === resourcePaths.instances) return 'instances';
  return resourceType === resourcePaths.bindings ? 'bindings' : undefined;
}
