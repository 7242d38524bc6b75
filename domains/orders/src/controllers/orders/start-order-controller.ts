import { traceparentOfRow } from '@chandlery/registry';
import { createWorkQueue, relistPriority, runWorkers } from '@chandlery/runtime';
import { isEnded } from '../../model/order-status.ts';
import { parseUrn } from '../../model/urns.ts';
import type { OrderRow } from '../../registry/orders-registry.ts';
import { Deliveries } from '../deliveries/deliveries.ts';
import type { OrderControllerDeps, ReconcileDeps } from './order-controller-deps.ts';
import { reconcileOrder } from './reconcile-order.ts';

const concurrency = 8;
const workerName = 'orders-orders';

/** Starts the controller that hands orders to the engines and follows their Workflows. */
export function startOrderController(deps: OrderControllerDeps): AsyncDisposable {
  const { registry, clock, logger, controllerMetrics: metrics } = deps;
  const queue = createWorkQueue<string>({ clock, ...(metrics && { observer: metrics.observeQueue(workerName) }) });
  const watched = deps.workflows.watch(order => queue.add(order));
  const deliveries = new Deliveries(id => queue.add(id));
  const reconcileDeps: ReconcileDeps = { ...deps, watched, deliveries, answers: new Map() };
  const stops = [
    registry.orders.listen(({ row }) => queue.add(row.id)),
    listenToQueues(reconcileDeps, id => queue.add(id)),
    deps.processes.listen(service => {
      for (const id of deliveries.waitingFor(service)) queue.add(id);
    }),
  ];
  for (const row of registry.orders.all()) if (isOpen(row)) queue.add(row.id, { priority: relistPriority });
  const workers = runWorkers({
    name: workerName,
    tracer: metrics?.tracer,
    traceparentOf: id => traceparentOfRow(registry.orders.get(id)),
    queue,
    concurrency,
    work: async id => {
      await watched.synced;
      return reconcileOrder(reconcileDeps, id);
    },
    onFailure: ({ key, error }) =>
      logger.warn('an order could not be reconciled, will be tried again', { order: key, error: error.message }),
  });
  return {
    async [Symbol.asyncDispose]() {
      for (const stop of stops) stop();
      await watched[Symbol.asyncDispose]();
      await workers[Symbol.asyncDispose]();
      await deliveries[Symbol.asyncDispose]();
    },
  };
}

/** Whether there may be something to do for an order. */
const isOpen = ({ status }: OrderRow): boolean =>
  !isEnded(status.status ?? 'pending') || (status.workflow !== undefined && status.logDigest === undefined);

/** Standing orders are reconciled when messages come to their queue, and notified when messages of theirs are answered. */
function listenToQueues({ registry, answers }: ReconcileDeps, enqueue: (id: string) => void): () => void {
  return registry.queueMessages.listen(({ type, row, previous }) => {
    const borrower = parseUrn('order', previous?.status.borrower ?? '');
    if (borrower !== undefined && type === 'removed') answers.set(borrower, (answers.get(borrower) ?? 0) + 1);
    for (const { id } of registry.orders.by('queue', row.spec.queue)) enqueue(id);
  });
}
