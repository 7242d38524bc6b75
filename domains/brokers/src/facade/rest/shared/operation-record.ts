import { newOperation } from '../../../model/operations/new-operation.ts';
import type { OperationRow, Registry, RegistryWrite } from '../../../model/rows.ts';
import type { SmRequest } from '../resource-handler.ts';

/** What an operation is about. */
interface Subject {
  readonly type: OperationRow['spec']['type'];
  readonly resourceType: string;
  readonly resourceId: string;
  /** Default: that of the request. */
  readonly tenant?: string;
  /** Default `succeeded`: it is done with the commit that it is part of. */
  readonly state?: 'succeeded' | 'in progress';
}

/** The operation of a request, to be committed with what it does. */
export function operationRecord(
  registry: Registry,
  request: SmRequest,
  { state = 'succeeded', tenant = request.tenant, ...subject }: Subject,
): { readonly id: string; readonly write: RegistryWrite } {
  const { correlationId, idempotencyKey, requestHash } = request;
  const key = subject.type === 'create' && idempotencyKey !== undefined ? { idempotencyKey, requestHash } : {};
  return newOperation({ registry, ...subject, tenant, state, correlationId, ...key });
}
