import type { JsonObject } from '@chandlery/api';
import { notFound, smError } from '../../../../errors.ts';
import { consumerObstacle } from '../../../../model/operations/consumer-obstacle.ts';
import { lastOperationOf } from '../../../../model/operations/last-operation.ts';
import { enginePaths } from '../../../../model/operations/operation-state.ts';
import { runningDeletionOf } from '../../../../model/operations/plan-cascade.ts';
import { predecessorObstacle } from '../../../../model/operations/predecessor-obstacle.ts';
import type { InstanceRow, Registry } from '../../../../model/rows.ts';
import { isOperatedHere } from '../../../../model/sharing/owner.ts';
import { brokerInstanceOf } from '../../../../model/sharing/rows-of-instance.ts';
import type { SmRequest } from '../../resource-handler.ts';
import { catalogPlaceOf } from '../instances/check-change.ts';

/**
 * The instance of a new binding. Throws `NotFound` for one that the caller cannot use, `OperationInProgress` for one that
 * is not there yet or not for long, `BrokerError` (400) for one that cannot be bound.
 */
export function findBindableInstance(registry: Registry, id: string, request: SmRequest): InstanceRow {
  const instance = registry.instances.get(id);
  const isReachable = request.caller.type === 'operator' || instance?.tenant === request.tenant;
  if (instance === undefined || !isReachable || !isOperatedHere(instance)) throw notFound('service instance');
  const known = brokerInstanceOf(registry, instance);
  for (const row of new Set([instance, known])) checkStanding(registry, row);
  const { plan, offering } = catalogPlaceOf(registry, known);
  if ((plan.spec.bindable ?? offering.spec.bindable) !== true) {
    throw smError('BrokerError', `plan ${plan.spec.name} of offering ${offering.spec.name} is not bindable`, {
      status: 400,
      field: 'service_instance_id',
    });
  }
  return instance;
}

/** Throws `BadRequest` unless the binding can be succeeded by a new one of the instance. */
export function checkPredecessor(registry: Registry, instance: InstanceRow, predecessorId: string): void {
  const { plan } = catalogPlaceOf(registry, brokerInstanceOf(registry, instance));
  const obstacle = predecessorObstacle(registry, { instance, plan, predecessorId });
  if (obstacle !== undefined) throw smError('BadRequest', obstacle, { field: 'predecessor_binding_id' });
}

/** Throws `BadRequest` for a service account that could never be given access to the instance. */
export function checkConsumer(registry: Registry, instance: InstanceRow, bindResource: JsonObject | undefined): void {
  const { plan } = catalogPlaceOf(registry, brokerInstanceOf(registry, instance));
  const obstacle = consumerObstacle(registry.brokers.get(plan.spec.brokerId), bindResource);
  if (obstacle !== undefined) throw smError('BadRequest', obstacle.message, { field: obstacle.field });
}

function checkStanding(registry: Registry, { id, status, isDeleting }: InstanceRow): void {
  const last = lastOperationOf(registry, enginePaths.instances, id);
  const isGoing = isDeleting || runningDeletionOf(registry, id) !== undefined;
  if (status.ready === true && !isGoing) return;
  const hasFailed = last?.spec.type === 'create' && last.status.state === 'failed';
  const why = isGoing ? 'is being deleted' : `is not ready${hasFailed ? ': its creation failed' : ''}`;
  throw smError('OperationInProgress', `service instance ${id} ${why}`, { isRetryable: !isGoing, ids: [id] });
}
