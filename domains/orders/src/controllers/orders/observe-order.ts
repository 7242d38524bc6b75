import type { KubeObject } from '@chandlery/api';
import type { WorkResult } from '@chandlery/runtime';
import type { RetryOptions } from '@chandlery/workflow';
import type { OrderChanges } from '../../actions/orders/move-order.ts';
import { orderLog, storeBlob, storeLog, workflowLog } from '../../actions/orders/order-log.ts';
import { isCompleted, observeWorkflow, resultOf, waitingForImage } from '../../model/documents/observe-workflow.ts';
import { isEnded } from '../../model/order-status.ts';
import { standingQueue } from '../../model/standing-queue.ts';
import type { OrderRow } from '../../registry/orders-registry.ts';
import { commitMove } from './dispatch-order.ts';
import type { ObserveDeps } from './order-controller-deps.ts';

/** How long a node may wait for an image that cannot be had. */
const imageTimeoutMs = 45_000;

/** After this time the cache shows what was written. */
const staleCacheMs = 200;

/** Makes the status of an order follow that of its Workflow. */
export async function observeOrder(deps: ObserveDeps, row: OrderRow): Promise<WorkResult> {
  const workflow = await reachWorkflow(deps, row);
  if (workflow === undefined) return workflowVanished(deps, row);
  if (!isCompleted(workflow)) {
    await ensureShutdown(deps, row, workflow);
    const { event } = observeWorkflow(workflow);
    await commitMove(deps, row.id, { event });
    return checkImages(deps, row, workflow);
  }
  return endOrder(deps, row, workflow);
}

/** While the cluster of an order cannot be reached, the state of the order is unknown. */
async function reachWorkflow(deps: ObserveDeps, row: OrderRow): Promise<KubeObject | undefined> {
  try {
    return await findWorkflow(deps, row);
  } catch (error) {
    if (row.status.workflow?.cluster !== undefined) await commitMove(deps, row.id, { event: 'lost' });
    throw error;
  }
}

/** The state of an order that has ended: its log is stored, and a Workflow that still runs is terminated. */
export async function settleOrder(deps: ObserveDeps, row: OrderRow): Promise<void> {
  if (standingQueue(row.spec) !== undefined && row.status.workflow === undefined) return settleStanding(deps, row);
  if (row.status.workflow === undefined) return;
  const workflow = await findWorkflow(deps, row);
  if (workflow === undefined) return;
  if (!isCompleted(workflow)) return terminate(deps, row, workflow);
  if (row.status.logDigest === undefined) await keepEnd(deps, row, workflow);
}

async function settleStanding(deps: ObserveDeps, row: OrderRow): Promise<void> {
  if (row.status.logDigest !== undefined) return;
  await storeLog(deps, orderLog(deps, row), logDigest => commitMove(deps, row.id, { changes: { logDigest } }));
}

/** The Workflow with all of its nodes, once it is worth reading them. */
export async function findWorkflow(deps: ObserveDeps, { status }: OrderRow): Promise<KubeObject | undefined> {
  if (status.workflow === undefined) return undefined;
  return deps.watched.get(status.workflow) ?? (await deps.workflows.get(status.workflow));
}

async function workflowVanished(deps: ObserveDeps, { id, status }: OrderRow): Promise<WorkResult> {
  const errorMessage = `The Workflow ${status.workflow?.name ?? ''} was removed before it ended`;
  const event = status.status === 'cancelling' ? 'cancelled' : 'errored';
  await commitMove(deps, id, { event, changes: event === 'errored' ? { errorMessage } : {} });
  return 'done';
}

/** Asks the engine for the end that a client has asked the order for. */
export async function ensureShutdown(deps: ObserveDeps, { status }: OrderRow, workflow: KubeObject): Promise<void> {
  if (status.shutdown === undefined || status.workflow === undefined) return;
  const wanted = status.shutdown === 'stop' ? 'Stop' : 'Terminate';
  const { shutdown } = (workflow['spec'] ?? {}) as { readonly shutdown?: string };
  if (shutdown !== wanted && shutdown !== 'Terminate')
    await deps.workflows.patchSpec(status.workflow, { shutdown: wanted });
}

async function terminate(deps: ObserveDeps, { status }: OrderRow, workflow: KubeObject): Promise<void> {
  const { shutdown } = (workflow['spec'] ?? {}) as { readonly shutdown?: string };
  if (status.workflow !== undefined && shutdown !== 'Terminate')
    await deps.workflows.patchSpec(status.workflow, { shutdown: 'Terminate' });
}

/** An image for which nothing runs here is the platform's fault, and nothing to wait for. */
async function checkImages(deps: ObserveDeps, row: OrderRow, workflow: KubeObject): Promise<WorkResult> {
  const node = waitingForImage(workflow);
  if (node === undefined) return 'done';
  const waitMs = Date.parse(node.startedAt) + imageTimeoutMs - deps.clock.now().getTime();
  if (waitMs > 0) return { requeueAfterMs: waitMs };
  const errorMessage = `${node.displayName}: ${node.message ?? ''}`;
  await commitMove(deps, row.id, { event: 'errored', changes: { errorMessage } });
  return 'done';
}

/** The cache may show an end that a retry has undone meanwhile, so the Workflow is read again. */
async function endOrder(deps: ObserveDeps, row: OrderRow, seen: KubeObject): Promise<WorkResult> {
  const address = row.status.workflow ?? { namespace: '', name: '' };
  // Removing a completed Workflow does not undo its end.
  const workflow = (await deps.workflows.get(address)) ?? seen;
  if (!isCompleted(workflow)) return { requeueAfterMs: staleCacheMs };
  const { retry } = (row.status.engineState ?? {}) as { readonly retry?: RetryOptions };
  if (retry !== undefined) {
    await deps.workflows.retry(address, retry);
    await commitMove(deps, row.id, { changes: { engineState: {} } });
    return { requeueAfterMs: staleCacheMs };
  }
  const { event, errorMessage } = observeWorkflow(workflow);
  const result = resultOf(workflow);
  await commitMove(deps, row.id, {
    event,
    changes: { ...(errorMessage !== undefined && { errorMessage }), ...(result && { result: { ...result } }) },
  });
  await keepEnd(deps, row, workflow);
  return 'done';
}

/** Stores what would go with the Workflow: its log, and of one on another cluster the Workflow itself. */
async function keepEnd(deps: ObserveDeps, { id, status }: OrderRow, workflow: KubeObject): Promise<void> {
  const { cluster } = status.workflow ?? {};
  const commit = async (changes: OrderChanges): Promise<void> => {
    const row = deps.registry.orders.get(id);
    // A retry that came in between stores everything again.
    if (row !== undefined && isEnded(row.status.status ?? 'pending')) await commitMove(deps, id, { changes });
  };
  if (cluster !== undefined)
    await storeBlob(deps, [Buffer.from(JSON.stringify(workflow))], workflowDigest => commit({ workflowDigest }));
  const lines = workflowLog(deps.workflows.readLog, workflow, { cluster });
  await storeLog(deps, lines, logDigest => commit({ logDigest }));
}
