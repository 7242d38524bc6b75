import type { WorkResult } from '@chandlery/runtime';
import { isEnded } from '../../model/order-status.ts';
import { isDelivered, reconcileDelivery } from '../deliveries/reconcile-delivery.ts';
import { reconcileStanding } from '../standing/reconcile-standing.ts';
import { acceptOrder, dispatchOrder } from './dispatch-order.ts';
import { observeOrder, settleOrder } from './observe-order.ts';
import type { ReconcileDeps } from './order-controller-deps.ts';

/** Brings one order a step further, by what is there: its record and its Workflow. */
export async function reconcileOrder(deps: ReconcileDeps, id: string): Promise<WorkResult> {
  const row = deps.registry.orders.get(id);
  if (row === undefined || row.isDeleting) {
    deps.deliveries.abort(id);
    deps.deliveries.stopWaiting(id);
    await removeWorkflows(deps, id);
    return 'done';
  }
  const { status = 'pending', workflow } = row.status;
  if (isEnded(status)) {
    await settleOrder(deps, row);
    return 'done';
  }
  if (row.status.orderedAt === undefined) {
    await acceptOrder(deps, row);
    return 'done';
  }
  if (row.spec.execution?.type === 'standing') return reconcileStanding(deps, row);
  if (isDelivered(deps, row)) return reconcileDelivery(deps, row);
  return workflow === undefined ? dispatchOrder(deps, row) : observeOrder(deps, row);
}

/** A deleted order leaves nothing running. */
async function removeWorkflows({ watched, workflows }: ReconcileDeps, id: string): Promise<void> {
  for (const address of watched.ofOrder(id)) await workflows.remove(address);
}
