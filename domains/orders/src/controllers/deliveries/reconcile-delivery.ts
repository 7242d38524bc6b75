import type { WorkResult } from '@chandlery/runtime';
import { jobOfOrder } from '../../actions/orders/move-order.ts';
import { parseUrn } from '../../model/urns.ts';
import type { HostedState } from '../../order-ports.ts';
import type { OrderRow } from '../../registry/orders-registry.ts';
import { commitMove, isOverLimit } from '../orders/dispatch-order.ts';
import { deliverJob } from './deliver-job.ts';
import type { Delivery, DeliveryDeps } from './delivery-deps.ts';

/** How long a job waits for a process that cannot start or has crashed, and for one that is starting. */
const downTimeoutMs = 45_000;
const startTimeoutMs = 660_000;

const waitForOthersMs = 2000;

/** Whether the job of an order is taken by a process of its service. */
export const isDelivered = ({ models }: DeliveryDeps, { spec, status }: OrderRow): boolean =>
  spec.job !== undefined && models.hostingOf({ $schema: status.schema })?.takes === 'jobs';

/** Brings an order whose job a process takes a step further. */
export async function reconcileDelivery(deps: DeliveryDeps, order: OrderRow): Promise<WorkResult> {
  const { deliveries } = deps;
  if (order.status.status === 'cancelling') return cancel(deps, order);
  if (deliveries.isRunning(order.id)) return 'done';
  if (processOf(order) !== undefined)
    return fail(deps, order, 'The landscape was restarted while the service worked on the job; retry sends it again');
  if (order.status.status === 'pending' && isOverLimit(deps, order.tenant)) return { requeueAfterMs: waitForOthersMs };
  const service = deps.registry.services.get(parseUrn('service', order.spec.service) ?? '');
  const job = jobOfOrder(deps.registry, order);
  if (service === undefined || job === undefined)
    return fail(deps, order, `There is no ${order.spec.service} any more`);
  const delivery = { order, job, service: service.id };
  const state = deps.processes.stateOf(service.id);
  if (state.endpoint === undefined) return awaitProcess(deps, delivery, state);
  deliveries.start(order.id, signal => deliverJob(deps, { ...delivery, endpoint: state.endpoint }, signal));
  return 'done';
}

/** The process that an order's job was sent to. */
const processOf = ({ status }: OrderRow): unknown => status.engineState?.['process'];

async function cancel(deps: DeliveryDeps, { id }: OrderRow): Promise<WorkResult> {
  deps.deliveries.stopWaiting(id);
  deps.deliveries.abort(id);
  await commitMove(deps, id, { event: 'cancelled' });
  return 'done';
}

type Problem = Exclude<HostedState, { readonly endpoint: object }>;

async function awaitProcess(deps: DeliveryDeps, { order, service }: Delivery, state: Problem): Promise<WorkResult> {
  const nowMs = deps.clock.now().getTime();
  const waitedMs = nowMs - deps.deliveries.wait(order.id, service, nowMs);
  const leftMs = (state.isStarting ? startTimeoutMs : downTimeoutMs) - waitedMs;
  if (leftMs > 0) return { requeueAfterMs: leftMs };
  return fail(deps, order, `The service does not run: ${state.problem}`);
}

async function fail(deps: DeliveryDeps, { id }: OrderRow, errorMessage: string): Promise<WorkResult> {
  deps.deliveries.stopWaiting(id);
  await commitMove(deps, id, { event: 'errored', changes: { errorMessage } });
  return 'done';
}
