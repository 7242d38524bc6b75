import type { KubeObject } from '@chandlery/api';
import type { WorkResult } from '@chandlery/runtime';
import type { RetryOptions } from '@chandlery/workflow';
import { storeLog, workflowLog } from '../../actions/orders/order-log.ts';
import { isCompleted, observeWorkflow, resultOf, waitingForImage } from '../../model/documents/observe-workflow.ts';
import { retryNodes } from '../../model/documents/workflow-nodes.ts';
import { isEnded } from '../../model/order-status.ts';
import type { OrderRow } from '../../registry/orders-registry.ts';
import { commitMove } from './dispatch-order.ts';
import type { ReconcileDeps } from './order-controller-deps.ts';

/** How long a node may wait for an image that cannot be had. */
const imageTimeoutMs = 45_000;

/** After this time the cache shows what was written. */
const staleCacheMs = 200;

/** Makes the status of an order follow that of its Workflow. */
export async function observeOrder(deps: ReconcileDeps, row: OrderRow): Promise<WorkResult> {
  const workflow = await findWorkflow(deps, row);
  if (workflow === undefined) return workflowVanished(deps, row);
  if (!isCompleted(workflow)) {
    await ensureShutdown(deps, row, workflow);
    const { event } = observeWorkflow(workflow);
    await commitMove(deps, row.id, { event });
    return checkImages(deps, row, workflow);
  }
  return endOrder(deps, row);
}

/** The state of an order that has ended: its log is stored, and a Workflow that still runs is terminated. */
export async function settleOrder(deps: ReconcileDeps, row: OrderRow): Promise<void> {
  if (row.status.workflow === undefined) return;
  const workflow = await findWorkflow(deps, row);
  if (workflow === undefined) return;
  if (!isCompleted(workflow)) return terminate(deps, row, workflow);
  if (row.status.logDigest === undefined) await keepLog(deps, row.id, workflow);
}

/** The Workflow with all of its nodes, once it is worth reading them. */
async function findWorkflow(deps: ReconcileDeps, { status }: OrderRow): Promise<KubeObject | undefined> {
  if (status.workflow === undefined) return undefined;
  const { namespace, name } = status.workflow;
  return deps.informer.get(namespace, name) ?? (await deps.workflows.get({ namespace, name }));
}

async function workflowVanished(deps: ReconcileDeps, { id, status }: OrderRow): Promise<WorkResult> {
  const errorMessage = `The Workflow ${status.workflow?.name ?? ''} was removed before it ended`;
  const event = status.status === 'cancelling' ? 'cancelled' : 'errored';
  await commitMove(deps, id, { event, changes: event === 'errored' ? { errorMessage } : {} });
  return 'done';
}

/** Asks the engine for the end that a client has asked the order for. */
export async function ensureShutdown(deps: ReconcileDeps, { status }: OrderRow, workflow: KubeObject): Promise<void> {
  if (status.shutdown === undefined || status.workflow === undefined) return;
  const wanted = status.shutdown === 'stop' ? 'Stop' : 'Terminate';
  const { shutdown } = (workflow['spec'] ?? {}) as { readonly shutdown?: string };
  if (shutdown !== wanted && shutdown !== 'Terminate')
    await deps.workflows.patchSpec(status.workflow, { shutdown: wanted });
}

async function terminate(deps: ReconcileDeps, { status }: OrderRow, workflow: KubeObject): Promise<void> {
  const { shutdown } = (workflow['spec'] ?? {}) as { readonly shutdown?: string };
  if (status.workflow !== undefined && shutdown !== 'Terminate')
    await deps.workflows.patchSpec(status.workflow, { shutdown: 'Terminate' });
}

/** An image for which nothing runs here is the platform's fault, and nothing to wait for. */
async function checkImages(deps: ReconcileDeps, row: OrderRow, workflow: KubeObject): Promise<WorkResult> {
  const node = waitingForImage(workflow);
  if (node === undefined) return 'done';
  const waitMs = Date.parse(node.startedAt) + imageTimeoutMs - deps.clock.now().getTime();
  if (waitMs > 0) return { requeueAfterMs: waitMs };
  const errorMessage = `${node.displayName}: ${node.message ?? ''}`;
  await commitMove(deps, row.id, { event: 'errored', changes: { errorMessage } });
  return 'done';
}

/** The cache may show an end that a retry has undone meanwhile, so the Workflow is read again. */
async function endOrder(deps: ReconcileDeps, row: OrderRow): Promise<WorkResult> {
  const { namespace = '', name = '' } = row.status.workflow ?? {};
  const workflow = await deps.workflows.get({ namespace, name });
  if (workflow === undefined) return workflowVanished(deps, row);
  if (!isCompleted(workflow)) return { requeueAfterMs: staleCacheMs };
  const { retry } = (row.status.engineState ?? {}) as { readonly retry?: RetryOptions };
  if (retry !== undefined) {
    await deps.workflows.edit({ namespace, name }, found => (isCompleted(found) ? retryNodes(found, retry) : found));
    await commitMove(deps, row.id, { changes: { engineState: {} } });
    return { requeueAfterMs: staleCacheMs };
  }
  const { event, errorMessage } = observeWorkflow(workflow);
  const result = resultOf(workflow);
  await commitMove(deps, row.id, {
    event,
    changes: { ...(errorMessage !== undefined && { errorMessage }), ...(result && { result: { ...result } }) },
  });
  await keepLog(deps, row.id, workflow);
  return 'done';
}

async function keepLog(deps: ReconcileDeps, id: string, workflow: KubeObject): Promise<void> {
  await storeLog(deps, workflowLog(deps.readContainerLog, workflow), async logDigest => {
    const row = deps.registry.orders.get(id);
    // A retry that came in between writes the log anew.
    if (row !== undefined && isEnded(row.status.status ?? 'pending'))
      await commitMove(deps, id, { changes: { logDigest } });
  });
}
