import type { WorkResult } from '@chandlery/runtime';
import { consumerObstacle } from '../../model/operations/consumer-obstacle.ts';
import { enginePaths } from '../../model/operations/operation-state.ts';
import { predecessorObstacle } from '../../model/operations/predecessor-obstacle.ts';
import { creating, notReady, notSynced, statedConditions } from '../../model/operations/row-conditions.ts';
import { type BindingRow, type InstanceRow, type Registry, removeRow, updateRow } from '../../model/rows.ts';
import { isOperatedHere } from '../../model/sharing/owner.ts';
import { brokerInstanceOf } from '../../model/sharing/rows-of-instance.ts';
import { adoptionDecision } from './adoption-decision.ts';
import { type AdoptionDeps, state } from './adoption-deps.ts';
import { orderDeletion, orderFromKubernetes } from './order-from-kubernetes.ts';

/** Turns what a binding says into operations. Its spec does nothing more once it is there. */
export async function adoptBinding(deps: AdoptionDeps, row: BindingRow): Promise<WorkResult> {
  const decision = adoptionDecision(deps, enginePaths.bindings, row);
  switch (decision.type) {
    case 'nothing':
    case 'compare':
      return 'done';
    case 'wait':
      return { requeueAfterMs: decision.delayMs };
    case 'delete':
      return removeBinding(deps, row);
    case 'create':
      return createBinding(deps, row);
  }
}

async function createBinding(deps: AdoptionDeps, row: BindingRow): Promise<WorkResult> {
  const { registry, clock } = deps;
  const obstacle = obstacleOf(registry, row, registry.instances.get(row.spec.instanceId));
  if (obstacle !== undefined) {
    const { reason, message, result = 'done' } = obstacle;
    await state(deps, { table: 'bindings', row }, [notReady(reason, message), notSynced(reason, message)]);
    return result;
  }
  const conditions = statedConditions(row, creating, clock.now());
  const status = { ...row.status, ready: false, observedGeneration: row.generation, conditions };
  await registry.commit([
    updateRow({ table: 'bindings', row, status }),
    ...orderFromKubernetes(registry, { ...orderOf(row, 'create'), userInfo: row.spec.userInfo }),
  ]);
  return 'done';
}

/** Why a binding cannot be made now. */
interface Obstacle {
  readonly reason: string;
  readonly message: string;
  /** Default `done`: the instance's next change enqueues the binding. */
  readonly result?: WorkResult;
}

/** A change of the predecessor does not enqueue its successors, so a waiting binding is requeued. */
const predecessorAgainMs = 10_000;

function obstacleOf(registry: Registry, row: BindingRow, instance: InstanceRow | undefined): Obstacle | undefined {
  if (instance === undefined || instance.tenant !== row.tenant || !isOperatedHere(instance)) {
    return { reason: 'InstanceNotFound', message: `there is no service instance ${row.spec.instanceId} to bind here` };
  }
  if (instance.status.ready !== true || instance.isDeleting) {
    return {
      reason: 'InstanceNotReady',
      message: `the service instance ${instance.id} is not ready, or is being deleted`,
    };
  }
  const plan = registry.plans.get(instance.status.planId ?? instance.spec.planId ?? '');
  const isBindable = plan?.spec.bindable ?? registry.offerings.get(plan?.spec.offeringId ?? '')?.spec.bindable;
  if (isBindable !== true) return { reason: 'NotBindable', message: 'instances of this plan cannot be bound' };
  const consumer = plan && consumerObstacle(registry.brokers.get(plan.spec.brokerId), row.spec.bindResource);
  if (consumer !== undefined) return { reason: 'InvalidBindResource', message: inKubernetes(consumer.message) };
  return rotationObstacleOf(registry, row, instance);
}

/** The field has another name in the object than over REST and OSB. */
const inKubernetes = (message: string): string => message.replace('"bind_resource.', '"spec.bindResource.');

/**
 * Checks the predecessor that the spec names: a user who may write the object can name any id, and the broker would
 * trust it.
 */
function rotationObstacleOf(registry: Registry, row: BindingRow, instance: InstanceRow): Obstacle | undefined {
  const { predecessorId } = row.spec;
  if (predecessorId === undefined) return undefined;
  const known = brokerInstanceOf(registry, instance);
  const plan = registry.plans.get(known.status.planId ?? known.spec.planId ?? '');
  const message = plan && predecessorObstacle(registry, { instance, plan, predecessorId });
  return message === undefined
    ? undefined
    : { reason: 'PredecessorNotUsable', message, result: { requeueAfterMs: predecessorAgainMs } };
}

async function removeBinding({ registry }: AdoptionDeps, row: BindingRow): Promise<WorkResult> {
  const wasNeverOrdered = row.status.ready === undefined && registry.operations.count('resourceId', row.id) === 0;
  if (wasNeverOrdered) await registry.commit([removeRow('bindings', row)]);
  else await orderDeletion(registry, orderOf(row, 'delete'));
  return 'done';
}

const orderOf = ({ id, tenant }: BindingRow, type: 'create' | 'delete') => ({
  type,
  resourceType: enginePaths.bindings,
  resourceId: id,
  tenant,
});
