import { isError } from '@chandlery/api';
import { commitAnew } from '@chandlery/registry';
import type { RetryOptions } from '@chandlery/workflow';
import { OrdersError, recordNotFound } from '../../errors.ts';
import { retryNodes } from '../../model/documents/workflow-nodes.ts';
import { isEnded } from '../../model/order-status.ts';
import { parseUrn, urnOf } from '../../model/urns.ts';
import type { NodeOutputs, WorkflowAddress } from '../../order-ports.ts';
import type { OrderRow, OrdersRegistry } from '../../registry/orders-registry.ts';
import type { Actor } from '../action-deps.ts';
import { createOrder } from './create-order.ts';
import { moveOrder } from './move-order.ts';
import type { OrderDeps } from './order-deps.ts';

/** How an order is cancelled: `stop` lets exit handlers run. */
export type CancelMode = 'stop' | 'terminate';

/** Asks for the end of an order. The controller carries it out. Throws `conflict` for an order that has ended. */
export async function cancelOrder({ registry }: OrderDeps, id: string, mode: CancelMode): Promise<OrderRow> {
  await commitAnew(registry, () => {
    const row = runningRow(registry, id);
    if (row.status.shutdown === 'terminate' || row.status.shutdown === mode) return [];
    return moveOrder(registry, row, { event: 'cancel', changes: { shutdown: mode } });
  });
  return orderRow(registry, id);
}

/** Starts nothing new of an order until it is resumed. Throws `conflict`. */
export async function suspendOrder(deps: OrderDeps, id: string): Promise<OrderRow> {
  const row = runningRow(deps.registry, id);
  await withWorkflow(row, address => deps.workflows.patchSpec(address, { suspend: true }));
  return change(deps.registry, id, { suspended: true });
}

/** Lets an order continue: all of it, or the suspended nodes that a selector selects. Throws `conflict` and `invalid`. */
export async function resumeOrder(deps: OrderDeps, id: string, selector: string | undefined): Promise<OrderRow> {
  const row = runningRow(deps.registry, id);
  await withWorkflow(row, address => deps.workflows.resume(address, selector));
  return selector === undefined ? change(deps.registry, id, { suspended: false }) : orderRow(deps.registry, id);
}

/** Sets outputs of suspended nodes. Throws `conflict` and `invalid`. */
export async function setOrder(deps: OrderDeps, id: string, outputs: NodeOutputs): Promise<OrderRow> {
  await withWorkflow(runningRow(deps.registry, id), address => deps.workflows.setOutputs(address, outputs));
  return orderRow(deps.registry, id);
}

/** Starts a failed order again, from its failures on; the controller carries it out. Throws `conflict` for one that runs or has succeeded. */
export async function retryOrder(deps: OrderDeps, id: string, options: RetryOptions): Promise<OrderRow> {
  const row = orderRow(deps.registry, id);
  const { status = 'pending', workflow } = row.status;
  if (!isEnded(status) || status === 'succeeded')
    throw new OrdersError('conflict', `An order that is ${status} cannot be retried`, { id: urnOf('order', id) });
  if (row.spec.execution?.type === 'standing')
    throw new OrdersError('conflict', 'A standing order cannot be retried; resubmit it', { id: urnOf('order', id) });
  const found = workflow === undefined ? undefined : await deps.workflows.get(workflow);
  if (found !== undefined) retryNodes(found, options);
  await commitAnew(deps.registry, () => {
    const current = orderRow(deps.registry, id);
    return moveOrder(deps.registry, current, {
      event: 'retry',
      changes: { retries: (current.status.retries ?? 0) + 1, ...(found && { engineState: { retry: { ...options } } }) },
      cleared: [
        'shutdown',
        'result',
        'logDigest',
        'workflowDigest',
        ...(found === undefined ? (['workflow', 'engineState'] as const) : []),
      ],
    });
  });
  return orderRow(deps.registry, id);
}

/** Places the same order again. Throws `not-found` when the service no longer exists. */
export function resubmitOrder(deps: OrderDeps, actor: Actor, { id, tenant, spec }: OrderRow): Promise<OrderRow> {
  const service = deps.registry.services.get(parseUrn('service', spec.service) ?? '');
  if (service === undefined) throw recordNotFound(spec.service);
  const { parameters = [], name, tags, policy, execution } = spec;
  const again = { service, parameters, name, tags, policy, execution, resubmitOf: urnOf('order', id) };
  return createOrder(deps, { ...actor, tenant }, again);
}

/** Returns an order. Throws `not-found`. */
export function orderRow({ orders }: Pick<OrdersRegistry, 'orders'>, id: string): OrderRow {
  const row = orders.get(id);
  if (row === undefined) throw recordNotFound(urnOf('order', id));
  return row;
}

function runningRow(registry: OrdersRegistry, id: string): OrderRow {
  const row = orderRow(registry, id);
  const { status = 'pending' } = row.status;
  if (!isEnded(status)) return row;
  throw new OrdersError('conflict', `The order ${urnOf('order', id)} has ended: ${status}`, { id: urnOf('order', id) });
}

async function change(
  registry: OrdersRegistry,
  id: string,
  changes: { readonly suspended: boolean },
): Promise<OrderRow> {
  await commitAnew(registry, () => moveOrder(registry, orderRow(registry, id), { changes }));
  return orderRow(registry, id);
}

async function withWorkflow(
  { id, status }: OrderRow,
  work: (address: WorkflowAddress) => Promise<void>,
): Promise<void> {
  const notRunning = (): OrdersError =>
    new OrdersError('conflict', `The order ${urnOf('order', id)} is not being executed at present`, {
      id: urnOf('order', id),
    });
  if (status.workflow === undefined) throw notRunning();
  try {
    await work(status.workflow);
  } catch (error) {
    throw isError(error, 'NotFound') ? notRunning() : error;
  }
}
