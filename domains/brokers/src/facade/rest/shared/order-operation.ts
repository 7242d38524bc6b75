import type { JsonObject } from '@chandlery/api';
import { newOperation } from '../../../model/operations/new-operation.ts';
import type { OperationRow, Registry, RegistryWrite } from '../../../model/rows.ts';
import type { SmRequest } from '../resource-handler.ts';

/** Which operation of which resource. */
export interface OperationOrder {
  readonly type: OperationRow['spec']['type'];
  readonly table: 'instances' | 'bindings';
  readonly resourceId: string;
  readonly tenant: string;
  /** In the words of the spec: what the row becomes when the operation succeeds. Default: nothing. */
  readonly change?: JsonObject;
  /** For the broker; they travel in a Secret that lives as long as the operation. Default: none. */
  readonly parameters?: JsonObject;
}

/** An operation and what is committed with it. */
export interface OrderedOperation {
  readonly id: string;
  readonly writes: readonly RegistryWrite[];
}

/** Address of each table's resources. */
export const resourcePaths = { instances: '/v1/service_instances', bindings: '/v1/service_bindings' } as const;

/** Creates an operation that needs a broker: the operation engine executes it. */
export function orderOperation(registry: Registry, request: SmRequest, order: OperationOrder): OrderedOperation {
  const id = registry.newId();
  const parametersSecret = `${order.table}-${id}-parameters`;
  const change = { ...order.change, ...(order.parameters === undefined ? {} : { parametersSecret }) };
  const { write } = newOperation({
    registry,
    id,
    type: order.type,
    resourceType: resourcePaths[order.table],
    resourceId: order.resourceId,
    tenant: order.tenant,
    correlationId: request.correlationId,
    state: 'in progress',
    ...repeatKeys(request),
    ...(Object.keys(change).length > 0 && { change }),
    ...(order.type === 'create' && request.mode !== 'async' && { discardsFailedCreate: true }),
    status: { user: { username: request.caller.username } },
  });
  if (order.parameters === undefined) return { id, writes: [write] };
  const data = { parameters: JSON.stringify(order.parameters) };
  return { id, writes: [write, { type: 'put-secret', tenant: order.tenant, name: parametersSecret, data }] };
}

/** By what the same request is known when it comes again. */
const repeatKeys = ({ idempotencyKey, requestHash }: SmRequest) =>
  idempotencyKey === undefined ? {} : { idempotencyKey, requestHash };
