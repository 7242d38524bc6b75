import { commitAnew } from '@chandlery/registry';
import type { WorkResult } from '@chandlery/runtime';
import { returnedMessage } from '../../actions/queues/borrow-messages.ts';
import { availableMessages } from '../../actions/queues/queue-actions.ts';
import { isCompleted, observeWorkflow } from '../../model/documents/observe-workflow.ts';
import { standingQueue } from '../../model/standing-queue.ts';
import { urnOf } from '../../model/urns.ts';
import { type OrderRow, updateRow } from '../../registry/orders-registry.ts';
import { commitMove, submitRun } from '../orders/dispatch-order.ts';
import { ensureShutdown, findWorkflow } from '../orders/observe-order.ts';
import type { ReconcileDeps } from '../orders/order-controller-deps.ts';

/** What is remembered of runs. */
interface RunState {
  /** Runs in a row that have answered no message. */
  readonly failures?: number;
  /** No run begins before. */
  readonly nextRunAt?: string;
}

const baseBackOffMs = 1000;
const maxBackOffMs = 300_000;

/** Starts a run while there are messages, and waits when there are none. The order ends by cancel only. */
export async function reconcileStanding(deps: ReconcileDeps, row: OrderRow): Promise<WorkResult> {
  if (row.status.workflow !== undefined) return followRun(deps, row);
  if (row.status.status === 'cancelling') {
    await commitMove(deps, row.id, { event: 'cancelled' });
    return 'done';
  }
  if (row.status.status === 'pending') await commitMove(deps, row.id, { event: 'accepted' });
  return startRun(deps, row);
}

async function startRun(deps: ReconcileDeps, row: OrderRow): Promise<WorkResult> {
  const { clock, registry, answers } = deps;
  const now = clock.now();
  const queue = standingQueue(row.spec) ?? '';
  if (availableMessages(registry, queue, now).length === 0) return 'done';
  const { nextRunAt } = stateOf(row);
  const waitMs = nextRunAt === undefined ? 0 : Date.parse(nextRunAt) - now.getTime();
  if (waitMs > 0) return { requeueAfterMs: waitMs };
  const runs = (row.status.runs ?? 0) + 1;
  answers.delete(row.id);
  const workflow = await submitRun(deps, row, runs);
  if (workflow !== undefined) await commitMove(deps, row.id, { event: 'started', changes: { workflow, runs } });
  return 'done';
}

async function followRun(deps: ReconcileDeps, row: OrderRow): Promise<WorkResult> {
  const workflow = await findWorkflow(deps, row);
  if (workflow !== undefined && !isCompleted(workflow)) {
    await ensureShutdown(deps, row, workflow);
    return 'done';
  }
  const observed = workflow === undefined ? undefined : observeWorkflow(workflow);
  await returnMessages(deps, row);
  await endRun(deps, row, observed?.event !== 'succeeded', observed?.errorMessage);
  return 'done';
}

/** After a run that has answered nothing another one would answer nothing either: it waits. */
async function endRun(
  deps: ReconcileDeps,
  row: OrderRow,
  isFailed: boolean,
  errorMessage: string | undefined,
): Promise<void> {
  const isFruitless = (deps.answers.get(row.id) ?? 0) === 0;
  const failures = isFruitless ? (stateOf(row).failures ?? 0) + 1 : 0;
  const backOffMs = Math.min(maxBackOffMs, baseBackOffMs * 2 ** (failures - 1));
  const nextRunAt = new Date(deps.clock.now().getTime() + backOffMs).toISOString();
  await commitMove(deps, row.id, {
    event: row.status.status === 'cancelling' ? 'cancelled' : 'idle',
    changes: {
      engineState: failures === 0 ? {} : { failures, nextRunAt },
      ...(isFailed && errorMessage !== undefined && { errorMessage }),
    },
    cleared: ['workflow'],
  });
}

/** Messages that a run has not answered go back to the queue. */
async function returnMessages({ registry }: ReconcileDeps, row: OrderRow): Promise<void> {
  const borrower = urnOf('order', row.id);
  await commitAnew(registry, () =>
    [...registry.queueMessages.by('queue', standingQueue(row.spec) ?? '')]
      .filter(({ status }) => status.borrower === borrower)
      .map(message => updateRow({ table: 'queueMessages', row: message, status: returnedMessage(message) })),
  );
}

const stateOf = ({ status }: OrderRow): RunState => status.engineState ?? {};
