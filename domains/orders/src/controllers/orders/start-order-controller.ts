import type { KubeObject } from '@chandlery/api';
import { createInformer, createWorkQueue, relistPriority, runWorkers, withoutManagedFields } from '@chandlery/runtime';
import { workflowsRef } from '../../kinds/workflows/index.ts';
import { orderLabels } from '../../model/documents/order-document.ts';
import { isEnded } from '../../model/order-status.ts';
import { parseUrn } from '../../model/urns.ts';
import type { OrderRow } from '../../registry/orders-registry.ts';
import { Deliveries } from '../deliveries/deliveries.ts';
import type { OrderControllerDeps, ReconcileDeps } from './order-controller-deps.ts';
import { reconcileOrder } from './reconcile-order.ts';

const concurrency = 8;

/** Starts the controller that hands orders to the engine and follows their Workflows. */
export function startOrderController(deps: OrderControllerDeps): AsyncDisposable {
  const { registry, clock, logger, platform } = deps;
  const queue = createWorkQueue<string>({ clock });
  const informer = createInformer<KubeObject>({
    client: platform,
    ref: workflowsRef,
    labelSelector: orderLabels.order,
    indexes: { order: workflow => [orderOf(workflow)] },
    transform: withoutManagedFields,
    onError: error => logger.warn('Workflows of orders could not be watched', { error: error.message }),
  });
  const deliveries = new Deliveries(id => queue.add(id));
  const reconcileDeps: ReconcileDeps = { ...deps, informer, deliveries, answers: new Map() };
  const enqueue = (workflow: KubeObject): void => queue.add(orderOf(workflow));
  const stops = [
    informer.listen({ added: enqueue, updated: enqueue, deleted: enqueue }),
    registry.orders.listen(({ row }) => queue.add(row.id)),
    listenToQueues(reconcileDeps, id => queue.add(id)),
    deps.processes.listen(service => {
      for (const id of deliveries.waitingFor(service)) queue.add(id);
    }),
  ];
  for (const row of registry.orders.all()) if (isOpen(row)) queue.add(row.id, { priority: relistPriority });
  informer.start();
  const workers = runWorkers({
    queue,
    concurrency,
    work: async id => {
      await informer.synced;
      return reconcileOrder(reconcileDeps, id);
    },
    onFailure: ({ key, error }) =>
      logger.warn('an order could not be reconciled, will be tried again', { order: key, error: error.message }),
  });
  return {
    async [Symbol.asyncDispose]() {
      for (const stop of stops) stop();
      await informer.stop();
      await workers[Symbol.asyncDispose]();
      await deliveries[Symbol.asyncDispose]();
    },
  };
}

/** Whether there may be something to do for an order. */
const isOpen = ({ status }: OrderRow): boolean =>
  !isEnded(status.status ?? 'pending') || (status.workflow !== undefined && status.logDigest === undefined);

const orderOf = ({ metadata }: KubeObject): string => metadata.labels?.[orderLabels.order] ?? '';

/** Standing orders are reconciled when messages come to their queue, and told when messages of theirs are answered. */
function listenToQueues({ registry, answers }: ReconcileDeps, enqueue: (id: string) => void): () => void {
  return registry.queueMessages.listen(({ type, row, previous }) => {
    const borrower = parseUrn('order', previous?.status.borrower ?? '');
    if (borrower !== undefined && type === 'removed') answers.set(borrower, (answers.get(borrower) ?? 0) + 1);
    for (const { id } of registry.orders.by('queue', row.spec.queue)) enqueue(id);
  });
}
