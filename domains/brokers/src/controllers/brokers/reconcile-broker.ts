import { isError, type JsonObject, toError } from '@chandlery/api';
import { isSameJson, type WorkResult } from '@chandlery/runtime';
import type { BrokerActions } from '../../actions/broker-action-types.ts';
import { SmError } from '../../errors.ts';
import { statedConditions } from '../../model/operations/row-conditions.ts';
import { type BrokerRow, type OperationRow, type Registry, type RegistryWrite, updateRow } from '../../model/rows.ts';
import { brokerWork } from './broker-work.ts';
import { failureConditions } from './failure-condition.ts';

/** What the reconcile of a broker depends on. */
export interface ReconcileBrokerDeps {
  readonly registry: Registry;
  readonly actions: BrokerActions;
  readonly catalogIntervalMs: number;
  /** Whether the catalog of a broker is known to have changed since it was last asked. Asking forgets it. */
  readonly takeStale: (id: string) => boolean;
  /** The state that platforms know of a broker that was changed by hand, as far as it was seen. */
  readonly lastSettledState: (id: string) => BrokerRow | undefined;
}

/** Does what is due for a broker. Reports a failure in its conditions and throws it. */
export async function reconcileBroker(deps: ReconcileBrokerDeps, id: string): Promise<WorkResult> {
  const { registry, catalogIntervalMs } = deps;
  const broker = registry.brokers.get(id);
  if (broker === undefined) return 'done';
  const operation = openCreateOf(registry, id);
  const work = brokerWork(broker, {
    hasOpenCreate: operation !== undefined,
    isStale: deps.takeStale(id),
    catalogIntervalMs,
    now: registry.now(),
  });
  switch (work.type) {
    case 'none':
      return 'done';
    case 'later':
      return { requeueAfterMs: work.delayMs };
    case 'remove':
      return await removeBroker(deps, broker);
    case 'sync':
      return await syncBroker(deps, broker, operation);
  }
}

async function syncBroker(
  deps: ReconcileBrokerDeps,
  broker: BrokerRow,
  operation: OperationRow | undefined,
): Promise<WorkResult> {
  const { actions, registry, catalogIntervalMs: requeueAfterMs } = deps;
  const correlationId = operation?.spec.correlationId ?? registry.newId();
  const before = deps.lastSettledState(broker.id);
  try {
    const ending = operation === undefined ? [] : [end(operation, { state: 'succeeded' })];
    await actions.update(broker, { correlationId, ...(before && { before }) }, ending);
    return requeueAfterMs > 0 ? { requeueAfterMs } : 'done';
  } catch (error) {
    await report(registry, { id: broker.id, error, operation });
    // One that was removed meanwhile has nothing to retry.
    const isRemoved = registry.brokers.get(broker.id) === undefined;
    if (operation === undefined && !isRemoved) throw error;
    return 'done';
  }
}

async function removeBroker({ actions, registry }: ReconcileBrokerDeps, broker: BrokerRow): Promise<WorkResult> {
  try {
    await actions.remove(broker);
  } catch (error) {
    await report(registry, { id: broker.id, error, operation: undefined });
    // The end of an instance enqueues the broker: nothing needs to be tried before.
    if (!isError(error, 'ExistingReferenceEntity')) throw error;
  }
  return 'done';
}

function openCreateOf({ operations }: Registry, brokerId: string): OperationRow | undefined {
  return [...operations.by('resourceId', brokerId)].find(
    ({ spec, status }) =>
      spec.type === 'create' && spec.resourceType === '/v1/service_brokers' && status.state === 'in progress',
  );
}

interface Failure {
  readonly id: string;
  readonly error: unknown;
  readonly operation: OperationRow | undefined;
}

/** Says in the row, and in the operation that waits, what went wrong. */
async function report(registry: Registry, { id, error, operation }: Failure): Promise<void> {
  const broker = registry.brokers.get(id);
  const writes = [
    ...(broker === undefined ? [] : conditionWrites(broker, { error, now: registry.now() })),
    ...(operation === undefined ? [] : [end(operation, failureOf(error))]),
  ];
  if (writes.length > 0) await registry.commit(writes);
}

function conditionWrites(broker: BrokerRow, { error, now }: { error: unknown; now: string }): RegistryWrite[] {
  const { status, generation } = broker;
  const stated = failureConditions(error, status.ready === true && !broker.isDeleting);
  const conditions = statedConditions({ status, generation }, stated, new Date(now));
  if (isSameJson(conditions, status.conditions)) return [];
  return [updateRow({ table: 'brokers', row: broker, status: { ...status, conditions } })];
}

const end = (operation: OperationRow, outcome: OperationRow['status']): RegistryWrite =>
  updateRow({ table: 'operations', row: operation, status: { ...operation.status, ...outcome, reschedule: false } });

function failureOf(thrown: unknown): OperationRow['status'] {
  const error = toError(thrown);
  const isOurs = error instanceof SmError;
  const errors: JsonObject = {
    error: isOurs ? error.code : 'InternalError',
    description: isOurs ? error.message : 'Internal server error',
  };
  return {
    state: 'failed',
    errors,
    httpStatus: isOurs ? error.status : 500,
    retryable: isOurs ? (error.facts.isRetryable ?? false) : true,
  };
}
