import type { JsonObject } from '@chandlery/api';
import { ownPlatformId } from '../../kinds/index.ts';
import type { InstanceRow, OperationRow, PlatformRow, Registry, RegistryWrite } from '../rows.ts';
import { newOperation } from './new-operation.ts';

/** On whose request something is tracked. */
export interface TrackedBy {
  readonly platform: PlatformRow;
  readonly correlationId: string;
  readonly registry: Pick<Registry, 'newId' | 'now'>;
}

/** What a broker answered to a request that it did not refuse. */
export interface BrokerResult {
  /** Whether the broker has finished; otherwise the operation is in progress and can be polled. */
  readonly isDone: boolean;
  readonly body: JsonObject;
}

/** Which operation of what. */
interface TrackedOperation {
  readonly type: OperationRow['spec']['type'];
  readonly resourceType: string;
  readonly resourceId: string;
  readonly result: BrokerResult;
  /** By what the same request is known again. Default: by nothing. */
  readonly requestHash?: string;
  /** Whether there is no row of the resource. Default false. */
  readonly isOfUnknown?: boolean;
}

/** The operation of a platform's request, as the broker's answer makes it: ended, or going on under the broker's name for it. */
export function trackedOperation(by: TrackedBy, operation: TrackedOperation): RegistryWrite {
  const { result, requestHash, ...what } = operation;
  const { platform, correlationId, registry } = by;
  const { write } = newOperation({
    ...what,
    ...(requestHash === undefined ? {} : { requestHash }),
    registry,
    correlationId,
    tenant: platform.tenant,
    platformId: platform.id,
    state: result.isDone ? 'succeeded' : 'in progress',
    status: result.isDone ? {} : waitingStatus(by, result.body),
  });
  return write;
}

/** How a creation is recorded. */
interface TrackedCreation {
  /** For the status of what is made. */
  readonly status: Pick<InstanceRow['status'], 'creation'>;
  readonly writes: readonly RegistryWrite[];
}

/** The creation of a resource: part of the resource when the broker is through with it, and otherwise an operation beside it. */
export function trackedCreation(
  by: TrackedBy,
  created: Omit<TrackedOperation, 'type' | 'requestHash' | 'isOfUnknown'>,
): TrackedCreation {
  if (!created.result.isDone) return { status: {}, writes: [trackedOperation(by, { type: 'create', ...created })] };
  const { platform, correlationId, registry } = by;
  return { status: { creation: { id: registry.newId(), platformId: platform.id, correlationId } }, writes: [] };
}

/** Platforms poll for themselves. What the service manager's own platform has asked for, the service manager polls. */
function waitingStatus({ platform, registry }: TrackedBy, { operation }: JsonObject): OperationRow['status'] {
  return {
    ...(typeof operation === 'string' && { externalId: operation }),
    ...(platform.id === ownPlatformId && { reschedule: true, rescheduleAt: registry.now() }),
  };
}
